CREATE TYPE order_status AS ENUM ('new', 'paid', 'packed', 'shipped', 'delivered', 'delayed', 'cancelled');

CREATE TABLE states (
    code   char(2) NOT NULL,
    name   text NOT NULL,
    region text NOT NULL
);

CREATE TABLE employees (
    id         integer NOT NULL,
    first_name text NOT NULL,
    last_name  text NOT NULL,
    title      text NOT NULL,
    department text NOT NULL,
    email      text NOT NULL,
    manager_id integer,
    hired_on   date NOT NULL,
    left_on    date,
    salary     numeric(10,2) NOT NULL
);

CREATE TABLE categories (
    id          integer NOT NULL,
    name        text NOT NULL,
    description text NOT NULL
);

CREATE TABLE suppliers (
    id      integer NOT NULL,
    name    text NOT NULL,
    city    text NOT NULL,
    country text NOT NULL,
    email   text
);

CREATE TABLE tags (
    id   integer NOT NULL,
    name text NOT NULL
);

CREATE TABLE products (
    id              integer NOT NULL,
    name            text NOT NULL,
    category_id     integer NOT NULL,
    supplier_id     integer,
    price           numeric(10,2) NOT NULL,
    cost            numeric(10,2) NOT NULL,
    warranty_months integer,
    stock           integer NOT NULL,
    launched_on     date NOT NULL,
    discontinued    boolean NOT NULL
);

CREATE TABLE product_tags (
    product_id integer NOT NULL,
    tag_id     integer NOT NULL
);

CREATE TABLE customers (
    id           integer NOT NULL,
    name         text NOT NULL,
    kind         text NOT NULL,
    email        text,
    phone        text,
    city         text NOT NULL,
    state        text,
    country      text NOT NULL,
    joined_on    date NOT NULL,
    credit_limit numeric(12,2),
    deleted_at   timestamptz
);

CREATE TABLE addresses (
    id          integer NOT NULL,
    customer_id integer NOT NULL,
    label       text NOT NULL,
    street      text NOT NULL,
    city        text NOT NULL,
    state_code  char(2),
    postal_code text NOT NULL,
    country     text NOT NULL
);

CREATE TABLE orders (
    id              integer NOT NULL,
    customer_id     integer NOT NULL,
    employee_id     integer,
    status          order_status NOT NULL,
    channel         text NOT NULL,
    payment_method  text NOT NULL,
    ordered_at      timestamptz NOT NULL,
    required_on     date NOT NULL,
    shipped_on      date,
    ship_address_id integer NOT NULL,
    bill_address_id integer NOT NULL,
    ship_city       text NOT NULL,
    ship_state      char(2),
    shipping_fee    numeric(8,2) NOT NULL,
    note            text
);

CREATE TABLE order_lines (
    order_id   integer NOT NULL,
    line_no    integer NOT NULL,
    product_id integer NOT NULL,
    quantity   integer NOT NULL,
    unit_price numeric(10,2) NOT NULL,
    discount   numeric(3,2) NOT NULL,
    amount     numeric(12,2) NOT NULL
);

CREATE TABLE refunds (
    id          integer NOT NULL,
    order_id    integer NOT NULL,
    line_no     integer NOT NULL,
    amount      numeric(12,2) NOT NULL,
    reason      text NOT NULL,
    refunded_on date NOT NULL
);

CREATE TABLE reviews (
    id          integer NOT NULL,
    product_id  integer NOT NULL,
    customer_id integer NOT NULL,
    rating      integer NOT NULL,
    title       text,
    written_on  date NOT NULL
);
