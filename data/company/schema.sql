-- 云杉软件: the course's company. Every column named `day` or ending in `_day`
-- counts days from today: 0 is today, -1 yesterday, 1 tomorrow. Money is in yuan.

CREATE TABLE employees (
    employee_id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    department TEXT NOT NULL,
    title TEXT NOT NULL,
    region TEXT,                  -- sales people only
    phone TEXT NOT NULL,
    id_number TEXT NOT NULL,
    email TEXT NOT NULL,
    hired_day INTEGER NOT NULL
);

CREATE TABLE customers (
    customer_id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    level TEXT NOT NULL CHECK (level IN ('普通', '银牌', '金牌', '钻石')),
    region TEXT NOT NULL,
    city TEXT NOT NULL,
    contact TEXT NOT NULL,
    phone TEXT NOT NULL,
    address TEXT NOT NULL,
    since_day INTEGER NOT NULL,
    rep_id TEXT NOT NULL REFERENCES employees
);

CREATE TABLE products (
    product TEXT PRIMARY KEY,
    price REAL NOT NULL           -- per kit
);

CREATE TABLE orders (
    order_id TEXT PRIMARY KEY,
    customer_id TEXT NOT NULL REFERENCES customers,
    rep_id TEXT NOT NULL REFERENCES employees,
    status TEXT NOT NULL
        CHECK (status IN ('pending', 'paid', 'shipped', 'completed', 'cancelled')),
    day INTEGER NOT NULL,
    remark TEXT
);
CREATE INDEX orders_by_day ON orders (day);
CREATE INDEX orders_by_customer ON orders (customer_id);

CREATE TABLE order_items (
    order_id TEXT NOT NULL REFERENCES orders,
    product TEXT NOT NULL REFERENCES products,
    quantity INTEGER NOT NULL CHECK (quantity > 0),
    discount REAL NOT NULL DEFAULT 1 CHECK (discount > 0 AND discount <= 1)
);
CREATE INDEX items_by_order ON order_items (order_id);

CREATE TABLE delivery_addresses (  -- only where it is not the customer's own
    order_id TEXT PRIMARY KEY REFERENCES orders,
    address TEXT NOT NULL,
    contact TEXT NOT NULL,
    phone TEXT NOT NULL
);

CREATE TABLE shipments (
    order_id TEXT PRIMARY KEY REFERENCES orders,
    tracking_no TEXT NOT NULL,
    carrier TEXT NOT NULL,
    shipped_day INTEGER NOT NULL,
    due_day INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('运输中', '派送中', '已签收')),
    place TEXT NOT NULL
);

CREATE TABLE payments (
    payment_no TEXT PRIMARY KEY,
    order_id TEXT NOT NULL REFERENCES orders,
    amount REAL NOT NULL,
    method TEXT NOT NULL,
    day INTEGER NOT NULL
);
CREATE INDEX payments_by_order ON payments (order_id);
CREATE INDEX payments_by_day ON payments (day);

CREATE TABLE refunds (
    refund_no TEXT PRIMARY KEY,
    order_id TEXT NOT NULL REFERENCES orders,
    amount REAL NOT NULL,
    reason TEXT,
    day INTEGER NOT NULL
);

CREATE TABLE invoices (
    invoice_no TEXT PRIMARY KEY,
    order_id TEXT NOT NULL REFERENCES orders,
    title TEXT NOT NULL,
    type TEXT NOT NULL CHECK (type IN ('普通发票', '专用发票')),
    tax_no TEXT,
    email TEXT,
    amount REAL NOT NULL,
    day INTEGER NOT NULL
);
CREATE INDEX invoices_by_order ON invoices (order_id);

CREATE TABLE sales_targets (
    rep_id TEXT NOT NULL REFERENCES employees,
    quarter INTEGER NOT NULL,     -- 0 is this quarter, -1 the one before
    amount REAL NOT NULL,
    PRIMARY KEY (rep_id, quarter)
);

CREATE TABLE stock (
    product TEXT NOT NULL REFERENCES products,
    warehouse TEXT NOT NULL,
    quantity INTEGER NOT NULL CHECK (quantity >= 0),
    safety INTEGER NOT NULL,
    PRIMARY KEY (product, warehouse)
);

CREATE TABLE tickets (
    ticket_id TEXT PRIMARY KEY,
    customer_id TEXT NOT NULL REFERENCES customers,
    title TEXT NOT NULL,
    product TEXT,
    priority TEXT NOT NULL CHECK (priority IN ('紧急', '高', '中', '低')),
    status TEXT NOT NULL CHECK (status IN ('待处理', '处理中', '已解决', '已关闭')),
    assignee TEXT,
    day INTEGER NOT NULL,
    closed_day INTEGER,
    tags TEXT,
    resolution TEXT,
    notify_manager INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE leave_entitlements (
    employee_id TEXT NOT NULL REFERENCES employees,
    leave_type TEXT NOT NULL,
    days REAL NOT NULL,           -- per year
    PRIMARY KEY (employee_id, leave_type)
);

CREATE TABLE leaves (
    leave_id INTEGER PRIMARY KEY,
    employee_id TEXT NOT NULL REFERENCES employees,
    leave_type TEXT NOT NULL,
    first_day INTEGER NOT NULL,
    last_day INTEGER NOT NULL,
    days REAL NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('待审批', '已批准')),
    reason TEXT
);
CREATE INDEX leaves_by_employee ON leaves (employee_id);

CREATE TABLE assets (
    asset_no TEXT PRIMARY KEY,
    employee_id TEXT NOT NULL REFERENCES employees,
    type TEXT NOT NULL,
    model TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('在用', '维修中', '借用中', '待归还')),
    bought_day INTEGER NOT NULL
);

CREATE TABLE asset_requests (
    request_id INTEGER PRIMARY KEY,
    employee_id TEXT NOT NULL REFERENCES employees,
    type TEXT NOT NULL,
    quantity INTEGER NOT NULL,
    reason TEXT,
    status TEXT NOT NULL,
    day INTEGER NOT NULL
);

CREATE TABLE climate (            -- what is usual in a city in a month
    city TEXT NOT NULL,
    month INTEGER NOT NULL,
    low INTEGER NOT NULL,         -- degrees Celsius
    high INTEGER NOT NULL,
    wet_days INTEGER NOT NULL,    -- days with rain or snow, of 30
    PRIMARY KEY (city, month)
);

CREATE TABLE documents (
    doc_id TEXT PRIMARY KEY,
    category TEXT NOT NULL,
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    day INTEGER NOT NULL
);
CREATE VIRTUAL TABLE documents_index USING fts5(title, body);

CREATE TABLE news (
    news_id TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    source TEXT NOT NULL,
    body TEXT NOT NULL,
    day INTEGER NOT NULL
);
CREATE VIRTUAL TABLE news_index USING fts5(title, body);

CREATE TABLE events (
    event_id INTEGER PRIMARY KEY,
    title TEXT NOT NULL,
    day INTEGER NOT NULL,
    start_minute INTEGER NOT NULL, -- counted from midnight
    minutes INTEGER NOT NULL,
    place TEXT NOT NULL
);
CREATE TABLE event_people (
    event_id INTEGER NOT NULL REFERENCES events,
    employee_id TEXT NOT NULL REFERENCES employees,
    PRIMARY KEY (event_id, employee_id)
);

CREATE VIEW order_lines AS
SELECT i.*, ROUND(p.price * i.quantity * i.discount, 2) AS amount
FROM order_items i JOIN products p USING (product);

CREATE VIEW active_orders AS     -- an order is archived a year after it was placed
SELECT o.*, c.name AS customer,
    (SELECT SUM(amount) FROM order_lines l WHERE l.order_id = o.order_id) AS amount,
    (SELECT GROUP_CONCAT(l.product || '×' || l.quantity, '、')
     FROM order_lines l WHERE l.order_id = o.order_id) AS items
FROM orders o JOIN customers c USING (customer_id)
WHERE o.day > -366 OR o.status NOT IN ('completed', 'cancelled');

CREATE VIEW sales AS
SELECT o.order_id, o.day, c.region, c.name AS customer, e.name AS rep, e.employee_id,
    l.product, l.quantity, l.amount
FROM orders o
JOIN order_lines l USING (order_id)
JOIN customers c USING (customer_id)
JOIN employees e ON e.employee_id = o.rep_id
WHERE o.status IN ('paid', 'shipped', 'completed');
