-- A bicycle maker: product hierarchy, customers, territories, order headers and details with discounts.
-- The data is made by arithmetic alone: the same on every server. Load with: psql DSN -f bench/schemas/bikes.sql
BEGIN;
DROP SCHEMA IF EXISTS bikes CASCADE;
CREATE SCHEMA bikes;
SET LOCAL search_path = bikes;

CREATE OR REPLACE FUNCTION pg_temp.r(i bigint, s int, n int) RETURNS int LANGUAGE sql IMMUTABLE AS $$
  SELECT (((c # (c >> 13)) & 1073741823) % n)::int
    FROM (SELECT ((b # (b >> 15)) * 48271 + 11) & 2147483647 AS c
            FROM (SELECT ((((i * 73856093) # (s::bigint * 19349663)) & 2147483647) * 1103515245 + 12345) & 2147483647 AS b) AS x) AS y $$;

CREATE TABLE territory (territory_id int PRIMARY KEY, name text NOT NULL, country_region_code char(2) NOT NULL, territory_group text NOT NULL);
CREATE TABLE person (business_entity_id int PRIMARY KEY, person_type char(2) NOT NULL, title text, first_name text NOT NULL, middle_name text, last_name text NOT NULL, email_promotion int NOT NULL);
COMMENT ON COLUMN person.person_type IS 'IN = individual customer, SC = store contact, SP = sales person';
COMMENT ON COLUMN person.email_promotion IS '0 = does not want e-mail, 1 = e-mail from us, 2 = e-mail from us and partners';
CREATE TABLE customer (customer_id int PRIMARY KEY, person_id int NOT NULL REFERENCES person, territory_id int NOT NULL REFERENCES territory, account_number text NOT NULL);
CREATE TABLE product_category (product_category_id int PRIMARY KEY, name text NOT NULL);
CREATE TABLE product_subcategory (product_subcategory_id int PRIMARY KEY, product_category_id int NOT NULL REFERENCES product_category, name text NOT NULL);
CREATE TABLE product (product_id int PRIMARY KEY, name text NOT NULL, product_number text NOT NULL, color text, size text, standard_cost numeric(10,2) NOT NULL, list_price numeric(10,2) NOT NULL, weight numeric(8,2), product_subcategory_id int REFERENCES product_subcategory, sell_start_date date NOT NULL, sell_end_date date);
CREATE TABLE sales_order_header (sales_order_id int PRIMARY KEY, order_date date NOT NULL, due_date date NOT NULL, ship_date date, status smallint NOT NULL, online_order_flag boolean NOT NULL, customer_id int NOT NULL REFERENCES customer, sales_person_id int REFERENCES person, territory_id int NOT NULL REFERENCES territory, sub_total numeric NOT NULL, tax_amt numeric NOT NULL, freight numeric NOT NULL, total_due numeric NOT NULL);
COMMENT ON COLUMN sales_order_header.status IS '1 = in process, 2 = approved, 3 = backordered, 4 = rejected, 5 = shipped, 6 = cancelled';
CREATE TABLE sales_order_detail (sales_order_id int NOT NULL REFERENCES sales_order_header, sales_order_detail_id int NOT NULL, product_id int NOT NULL REFERENCES product, order_qty smallint NOT NULL, unit_price numeric(10,2) NOT NULL, unit_price_discount numeric(4,2) NOT NULL, PRIMARY KEY (sales_order_id, sales_order_detail_id));

INSERT INTO territory VALUES (1,'Northwest','US','North America'),(2,'Northeast','US','North America'),(3,'Southwest','US','North America'),(4,'Canada','CA','North America'),(5,'France','FR','Europe'),(6,'Germany','DE','Europe'),(7,'United Kingdom','GB','Europe'),(8,'Australia','AU','Pacific');
INSERT INTO person SELECT i, CASE WHEN i <= 6 THEN 'SP' WHEN i % 4 = 0 THEN 'SC' ELSE 'IN' END, CASE i % 7 WHEN 0 THEN 'Mr.' WHEN 3 THEN 'Ms.' END,
  (ARRAY['Linda','Jae','Michael','Jillian','Tsvi','Shu','Ken','Terri','Roberto','Rob','Gail','Jossef','Dylan','Diane','Gigi','Ovidiu','Janice','Sharon','David','Kevin','John','Mary','Wanida','Sariya','Jill','Hazem','Annik','Paula','Brenda','Lori','Chris','Jun','Laura'])[1 + (i - 1) % 33],
  CASE WHEN pg_temp.r(i,1,3) = 0 THEN chr(65 + i % 26) END, (ARRAY['Mitchell','Pak','Blythe','Carson','Reiter','Ito','Sanchez','Duffy','Tamburello','Walters','Erickson','Goldberg','Miller','Margheim','Matthew','Cracium','Galvin','Salavaria','Bradley','Brown','Campbell','Dempsey','Benshoof','Harnpadoungsataya','Williams','Abolrous','Stahl'])[1 + (i - 1) % 27], pg_temp.r(i,2,3) FROM generate_series(1, 60) AS i;
INSERT INTO customer SELECT 100 + i, 6 + i, 1 + pg_temp.r(i,3,8), 'AW' || lpad((100 + i)::text, 8, '0') FROM generate_series(1, 54) AS i;
INSERT INTO product_category VALUES (1,'Bikes'),(2,'Components'),(3,'Clothing'),(4,'Accessories');
INSERT INTO product_subcategory VALUES (1,1,'Mountain Bikes'),(2,1,'Road Bikes'),(3,1,'Touring Bikes'),(4,2,'Handlebars'),(5,2,'Wheels'),(6,2,'Saddles'),(7,3,'Jerseys'),(8,3,'Gloves'),(9,3,'Socks'),(10,4,'Helmets'),(11,4,'Bottles and Cages'),(12,4,'Lights'),(13,4,'Locks');
INSERT INTO product SELECT i, split_part(t, '|', 1), split_part(t, '|', 4) || '-' || (1000 + i * 37), nullif(split_part(t, '|', 5), ''), nullif(split_part(t, '|', 6), ''), round(lp * (50 + pg_temp.r(i,4,18)) / 100.0, 2), lp, CASE WHEN lp > 300 THEN 9 + pg_temp.r(i,5,900) / 100.0 END, nullif(split_part(t, '|', 3), '')::int,
    (ARRAY['2021-05-31','2022-05-30','2023-05-30'])[1 + pg_temp.r(i,6,3) * pg_temp.r(i,7,2)]::date, CASE WHEN i IN (3, 9, 14, 22, 33) THEN date '2023-05-29' + i::int END
  FROM unnest(ARRAY['Mountain-100 Black, 42|3374.99|1|BK|Black|42','Mountain-100 Silver, 44|3399.99|1|BK|Silver|44','Mountain-200 Black, 38|2294.99|1|BK|Black|38','Mountain-300 Black, 40|1079.99|1|BK|Black|40','Mountain-500 Silver, 48|564.99|1|BK|Silver|48','Road-150 Red, 62|3578.27|2|BK|Red|62','Road-250 Black, 52|2443.35|2|BK|Black|52','Road-450 Red, 58|1457.99|2|BK|Red|58','Road-650 Red, 60|782.99|2|BK|Red|60','Road-750 Black, 48|539.99|2|BK|Black|48','Touring-1000 Blue, 46|2384.07|3|BK|Blue|46','Touring-2000 Blue, 54|1214.85|3|BK|Blue|54','Touring-3000 Yellow, 50|742.35|3|BK|Yellow|50','LL Mountain Handlebars|44.54|4|HB||','HL Road Handlebars|120.27|4|HB||','ML Touring Handlebars|91.57|4|HB||','LL Road Front Wheel|85.57|5|FW|Black|','HL Mountain Rear Wheel|327.22|5|RW|Black|','ML Road Rear Wheel|275.39|5|RW|Black|','LL Mountain Seat|27.12|6|SE||','HL Touring Seat|52.64|6|SE||','ML Road Seat|39.14|6|SE||','Long-Sleeve Logo Jersey, M|49.98|7|LJ|Multi|M','Long-Sleeve Logo Jersey, L|48.99|7|LJ|Multi|L','Short-Sleeve Classic Jersey, S|53.99|7|SJ|Yellow|S','Half-Finger Gloves, M|24.49|8|GL|Black|M','Full-Finger Gloves, L|37.99|8|GL|Black|L','Mountain Bike Socks, M|9.50|9|SO|White|M','Racing Socks, L|8.99|9|SO|White|L','Sport-100 Helmet, Red|34.99|10|HL|Red|','Sport-100 Helmet, Blue|35.49|10|HL|Blue|','Sport-100 Helmet, Black|33.99|10|HL|Black|','Water Bottle - 30 oz.|4.99|11|WB||','Mountain Bottle Cage|9.99|11|BC||','Road Bottle Cage|8.79|11|BC||','Headlights - Dual-Beam|34.49|12|LT||','Taillights - Battery-Powered|13.99|12|LT||','Cable Lock|25.00|13|LO||','Chain Ring Bolts|3.50||CB|Silver|','Adjustable Race|2.75||AR||']) WITH ORDINALITY AS u(t, i), LATERAL (SELECT split_part(t, '|', 2)::numeric AS lp) AS x;
INSERT INTO sales_order_header SELECT 43000 + i, d, d + 12, CASE WHEN s = 5 THEN d + 3 + pg_temp.r(i,13,9) END, s, o, c.customer_id, CASE WHEN NOT o THEN 1 + pg_temp.r(i,14,5) END, c.territory_id, 0, 0, 0, 0
  FROM generate_series(1, 92) AS i CROSS JOIN LATERAL (SELECT date '2022-01-04' + i * 11 + pg_temp.r(i,11,9) AS d, (ARRAY[5,5,5,5,5,5,5,6,1,4])[1 + pg_temp.r(i,12,10)] AS s, pg_temp.r(i,15,3) > 0 AS o) AS x JOIN customer AS c ON c.customer_id = 101 + pg_temp.r(i,16,100) * pg_temp.r(i,17,50) / 100;
INSERT INTO sales_order_detail SELECT h.sales_order_id, row_number() OVER (ORDER BY h.sales_order_id, k)::int, p.product_id, 1 + pg_temp.r(h.sales_order_id * 5 + k,22,CASE WHEN h.online_order_flag THEN 2 ELSE 9 END), p.list_price, CASE WHEN h.online_order_flag THEN 0 ELSE (ARRAY[0,0.02,0.05,0.10,0.15])[1 + pg_temp.r(h.sales_order_id * 5 + k,23,5)] END
  FROM sales_order_header AS h, LATERAL generate_series(1, 1 + pg_temp.r(h.sales_order_id,21,4)) AS k JOIN product AS p ON true WHERE p.product_id = 1 + (pg_temp.r(h.sales_order_id,24,37) + k * 11) % 37;
UPDATE sales_order_header AS h SET sub_total = s FROM (SELECT sales_order_id AS i, sum(order_qty * unit_price * (1 - unit_price_discount)) AS s FROM sales_order_detail GROUP BY 1) AS x WHERE x.i = h.sales_order_id;
UPDATE sales_order_header SET tax_amt = round(sub_total * 0.08, 2), freight = round(sub_total * 0.025, 2);
UPDATE sales_order_header SET total_due = sub_total + tax_amt + freight;
ANALYZE territory; ANALYZE person; ANALYZE customer; ANALYZE product_category; ANALYZE product_subcategory; ANALYZE product; ANALYZE sales_order_header; ANALYZE sales_order_detail;
COMMIT;
