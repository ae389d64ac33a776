ALTER TABLE states ADD PRIMARY KEY (code), ADD UNIQUE (name);
ALTER TABLE employees ADD PRIMARY KEY (id), ADD UNIQUE (email);
ALTER TABLE categories ADD PRIMARY KEY (id), ADD UNIQUE (name);
ALTER TABLE suppliers ADD PRIMARY KEY (id);
ALTER TABLE tags ADD PRIMARY KEY (id), ADD UNIQUE (name);
ALTER TABLE products ADD PRIMARY KEY (id);
ALTER TABLE product_tags ADD PRIMARY KEY (product_id, tag_id);
ALTER TABLE customers ADD PRIMARY KEY (id), ADD CHECK (kind IN ('person', 'business'));
ALTER TABLE addresses ADD PRIMARY KEY (id);
ALTER TABLE orders ADD PRIMARY KEY (id), ADD CHECK (channel IN ('web', 'phone', 'store'));
ALTER TABLE order_lines ADD PRIMARY KEY (order_id, line_no), ADD CHECK (quantity > 0);
ALTER TABLE refunds ADD PRIMARY KEY (id);
ALTER TABLE reviews ADD PRIMARY KEY (id), ADD CHECK (rating BETWEEN 1 AND 5);

ALTER TABLE employees ADD FOREIGN KEY (manager_id) REFERENCES employees;
ALTER TABLE products ADD FOREIGN KEY (category_id) REFERENCES categories,
                     ADD FOREIGN KEY (supplier_id) REFERENCES suppliers;
ALTER TABLE product_tags ADD FOREIGN KEY (product_id) REFERENCES products,
                         ADD FOREIGN KEY (tag_id) REFERENCES tags;
ALTER TABLE addresses ADD FOREIGN KEY (customer_id) REFERENCES customers,
                      ADD FOREIGN KEY (state_code) REFERENCES states;
ALTER TABLE orders ADD FOREIGN KEY (customer_id) REFERENCES customers,
                   ADD FOREIGN KEY (employee_id) REFERENCES employees,
                   ADD FOREIGN KEY (ship_address_id) REFERENCES addresses,
                   ADD FOREIGN KEY (bill_address_id) REFERENCES addresses,
                   ADD FOREIGN KEY (ship_state) REFERENCES states;
ALTER TABLE order_lines ADD FOREIGN KEY (order_id) REFERENCES orders,
                        ADD FOREIGN KEY (product_id) REFERENCES products;
ALTER TABLE refunds ADD FOREIGN KEY (order_id, line_no) REFERENCES order_lines;
ALTER TABLE reviews ADD FOREIGN KEY (product_id) REFERENCES products,
                    ADD FOREIGN KEY (customer_id) REFERENCES customers;

CREATE INDEX ON addresses (customer_id);
CREATE INDEX ON orders (customer_id);
CREATE INDEX ON orders (ordered_at);
CREATE INDEX ON order_lines (product_id);
CREATE INDEX ON refunds (order_id, line_no);
CREATE INDEX ON reviews (product_id);
