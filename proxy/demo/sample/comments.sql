COMMENT ON TYPE order_status IS 'How far an order has come';

COMMENT ON TABLE states IS 'The states of the United States: code, name and region';
COMMENT ON COLUMN states.code IS 'Two-letter postal code, e.g. CA';
COMMENT ON COLUMN states.name IS 'Full name, e.g. California';
COMMENT ON COLUMN states.region IS 'Census region: West, Midwest, South or Northeast';

COMMENT ON TABLE employees IS 'People who work or have worked for the shop';
COMMENT ON COLUMN employees.title IS 'Job title';
COMMENT ON COLUMN employees.department IS 'Management, Sales, Operations or Finance';
COMMENT ON COLUMN employees.manager_id IS 'The employee this one reports to; empty for the managing director';
COMMENT ON COLUMN employees.hired_on IS 'First day at work';
COMMENT ON COLUMN employees.left_on IS 'Last day at work; empty while the person is employed';
COMMENT ON COLUMN employees.salary IS 'Monthly salary in USD';

COMMENT ON TABLE categories IS 'Groups of products, as the catalog shows them';

COMMENT ON TABLE suppliers IS 'Companies the shop buys its products from';

COMMENT ON TABLE tags IS 'Words that products are marked with, e.g. organic';
COMMENT ON TABLE product_tags IS 'Which product has which tags';

COMMENT ON TABLE products IS 'Everything the shop sells or used to sell';
COMMENT ON COLUMN products.supplier_id IS 'Who delivers it; empty for gift cards';
COMMENT ON COLUMN products.price IS 'List price today in USD; what was charged in an order is order_lines.unit_price';
COMMENT ON COLUMN products.cost IS 'What the shop pays for one unit, in USD';
COMMENT ON COLUMN products.warranty_months IS 'How long the shop replaces a defective one; empty: no warranty';
COMMENT ON COLUMN products.stock IS 'Units in the warehouse now; 0 means out of stock';
COMMENT ON COLUMN products.launched_on IS 'First day in the catalog';
COMMENT ON COLUMN products.discontinued IS 'True when the product is no longer offered';

COMMENT ON TABLE customers IS 'Persons and businesses with an account; some have never ordered';
COMMENT ON COLUMN customers.name IS 'Full name or company name; not unique';
COMMENT ON COLUMN customers.kind IS 'person or business';
COMMENT ON COLUMN customers.email IS 'As the customer typed it, in any case';
COMMENT ON COLUMN customers.city IS 'City the customer lives or has its seat in';
COMMENT ON COLUMN customers.state IS 'Full name of the state, e.g. California; empty outside the United States';
COMMENT ON COLUMN customers.joined_on IS 'Day the account was opened';
COMMENT ON COLUMN customers.credit_limit IS 'How much a business may owe, in USD; empty for persons';
COMMENT ON COLUMN customers.deleted_at IS 'When the account was closed; empty for active customers';

COMMENT ON TABLE addresses IS 'Addresses of customers, for shipping and billing';
COMMENT ON COLUMN addresses.label IS 'office, home or second';
COMMENT ON COLUMN addresses.state_code IS 'Two-letter state code; empty outside the United States';

COMMENT ON TABLE orders IS 'What customers ordered and when. The data covers 2 January 2023 to 30 December 2025 and does not move with the calendar: "last year" counts from today''s date, so name the year to be sure';
COMMENT ON COLUMN orders.employee_id IS 'Who took the order by phone or in the store; empty for web orders';
COMMENT ON COLUMN orders.status IS 'new, paid, packed, shipped, delivered; delayed: waiting for a supplier, not shipped; cancelled';
COMMENT ON COLUMN orders.channel IS 'Where the order came from: web, phone or store';
COMMENT ON COLUMN orders.payment_method IS 'card, paypal or invoice';
COMMENT ON COLUMN orders.ordered_at IS 'When the order was placed';
COMMENT ON COLUMN orders.required_on IS 'Day by which the customer wants the order shipped; shipped after it is late';
COMMENT ON COLUMN orders.shipped_on IS 'Day the order left the warehouse; empty if it has not';
COMMENT ON COLUMN orders.ship_address_id IS 'Where the order goes';
COMMENT ON COLUMN orders.bill_address_id IS 'Where the invoice goes';
COMMENT ON COLUMN orders.ship_city IS 'City of the shipping address';
COMMENT ON COLUMN orders.ship_state IS 'Two-letter state code of the shipping address; empty outside the United States';
COMMENT ON COLUMN orders.shipping_fee IS 'What the customer paid for shipping, in USD; not part of revenue';
COMMENT ON COLUMN orders.note IS 'Remark by the customer, free text';

COMMENT ON TABLE order_lines IS 'The products of each order, one line per product; a cancelled order has no lines';
COMMENT ON COLUMN order_lines.line_no IS 'Number of the line within its order';
COMMENT ON COLUMN order_lines.quantity IS 'Units sold';
COMMENT ON COLUMN order_lines.unit_price IS 'Price of one unit when it was ordered, in USD';
COMMENT ON COLUMN order_lines.discount IS 'Share taken off the price: 0.10 is 10 percent';
COMMENT ON COLUMN order_lines.amount IS 'What the customer paid for this line: quantity x unit price less discount, in USD. Revenue is the sum of this';

COMMENT ON TABLE refunds IS 'Money given back to customers for a line of an order';
COMMENT ON COLUMN refunds.amount IS 'Money given back, in USD';
COMMENT ON COLUMN refunds.reason IS 'Why, in the words of whoever took the call';
COMMENT ON COLUMN refunds.refunded_on IS 'Day the money was sent';

COMMENT ON TABLE reviews IS 'What customers think of products they bought';
COMMENT ON COLUMN reviews.rating IS '1 (worst) to 5 (best) stars';
COMMENT ON COLUMN reviews.title IS 'Headline of the review; may be empty';
COMMENT ON COLUMN reviews.written_on IS 'Day the review was written';
