-- A chain of hotels: bookings and what guests are charged for, in lines of quantity, price and discount under a snowflake of products,
-- categories, hotels, cities and countries. All keys are declared.
-- The data is made by arithmetic alone: the same on every server. Load with: psql DSN -f bench/schemas/hotel.sql
BEGIN;
DROP SCHEMA IF EXISTS hotel CASCADE;
CREATE SCHEMA hotel;
SET LOCAL search_path = hotel;

CREATE OR REPLACE FUNCTION pg_temp.pick(i bigint, salt text, n int) RETURNS int LANGUAGE sql IMMUTABLE AS
  $$ SELECT (('x' || substr(md5(salt || i), 1, 7))::bit(28)::int % n)::int $$;

CREATE TABLE countries (country_id int PRIMARY KEY, name text NOT NULL, currency text NOT NULL);
CREATE TABLE cities (city_id int PRIMARY KEY, name text NOT NULL, country_id int NOT NULL REFERENCES countries);
CREATE TABLE hotels (hotel_id int PRIMARY KEY, name text NOT NULL, city_id int NOT NULL REFERENCES cities, stars int NOT NULL, opened_on date NOT NULL);
CREATE TABLE room_types (room_type_id int PRIMARY KEY, name text NOT NULL, capacity int NOT NULL, base_rate numeric NOT NULL);
CREATE TABLE rooms (room_id int PRIMARY KEY, hotel_id int NOT NULL REFERENCES hotels, room_type_id int NOT NULL REFERENCES room_types, room_number text NOT NULL, floor int NOT NULL);
CREATE TABLE guests (guest_id int PRIMARY KEY, first_name text NOT NULL, last_name text NOT NULL, email text, country_id int NOT NULL REFERENCES countries, loyalty_tier text, birth_date date NOT NULL);
CREATE TABLE bookings (booking_id int PRIMARY KEY, guest_id int NOT NULL REFERENCES guests, room_id int NOT NULL REFERENCES rooms, booked_at timestamp NOT NULL, check_in date NOT NULL, check_out date NOT NULL, channel text NOT NULL, status text NOT NULL, cancelled_at timestamp);
CREATE TABLE categories (category_id int PRIMARY KEY, name text NOT NULL);
CREATE TABLE products (product_id int PRIMARY KEY, name text NOT NULL, category_id int NOT NULL REFERENCES categories, list_price numeric NOT NULL, rating numeric);
CREATE TABLE charges (charge_id int PRIMARY KEY, booking_id int NOT NULL REFERENCES bookings, charged_at timestamp NOT NULL);
CREATE TABLE charge_lines (charge_id int NOT NULL REFERENCES charges, line_no int NOT NULL, product_id int NOT NULL REFERENCES products, quantity int NOT NULL, unit_price numeric NOT NULL, discount numeric NOT NULL, PRIMARY KEY (charge_id, line_no));
CREATE TABLE reviews (review_id int PRIMARY KEY, booking_id int NOT NULL REFERENCES bookings, score int NOT NULL, comment text, posted_at timestamp NOT NULL);

INSERT INTO countries VALUES (1,'Portugal','EUR'),(2,'Spain','EUR'),(3,'United Kingdom','GBP'),(4,'Norway','NOK'),(5,'France','EUR'),(6,'Germany','EUR'),(7,'United States','USD');
INSERT INTO cities VALUES (1,'Lisbon',1),(2,'Porto',1),(3,'Madrid',2),(4,'Seville',2),(5,'London',3),(6,'Bergen',4),(7,'Lyon',5);
INSERT INTO hotels SELECT i, n, 1 + (i - 1) % 7, 2 + pg_temp.pick(i,'st',4), date '1998-03-01' + pg_temp.pick(i,'op',8500)
  FROM unnest(ARRAY['Atlantic House','Ribeira Palace','Plaza Mayor Suites','Giralda Inn','Thames View','Fjord Lodge','Bellecour','Alfama Rooms','Douro Terrace','Retiro Park']) WITH ORDINALITY AS u(n, i);
INSERT INTO room_types VALUES (1,'Single',1,70),(2,'Double',2,110),(3,'Twin',2,105),(4,'Family',4,160),(5,'Suite',3,260);
INSERT INTO rooms SELECT i, 1 + pg_temp.pick(i,'ho',10), 1 + pg_temp.pick(i,'rt',5), (1 + i / 30)::text || lpad((i % 30)::text, 2, '0'), 1 + i / 30 FROM generate_series(1, 140) AS i;
INSERT INTO guests SELECT i, (ARRAY['Ana','Bruno','Carla','Dinis','Elin','Frank','Grace','Hugo','Ines','Jon'])[1 + i % 10], (ARRAY['Almeida','Berg','Costa','Dahl','Esteves','Fischer','Garcia','Hansen','Ibarra','Jones','Klein','Lopes','Martin'])[1 + i % 13],
  CASE WHEN pg_temp.pick(i,'em',7) > 0 THEN 'guest' || i || '@' || (ARRAY['mail.com','gmail.com','post.no'])[1 + pg_temp.pick(i,'ed',3)] END, 1 + pg_temp.pick(i,'co',7), (ARRAY['Gold','Silver','Silver',NULL,NULL])[1 + pg_temp.pick(i,'lt',5)], date '1945-01-01' + pg_temp.pick(i,'bd',21000) FROM generate_series(1, 260) AS i;
INSERT INTO bookings SELECT i, 1 + pg_temp.pick(i,'gu',245), 1 + pg_temp.pick(i,'ro',136), t, t::date + lead, t::date + lead + 1 + pg_temp.pick(i,'nt',9), (ARRAY['website','website','agency','phone','partner'])[1 + pg_temp.pick(i,'ch',5)],
  CASE WHEN c THEN 'cancelled' WHEN pg_temp.pick(i,'ns',25) = 0 THEN 'no-show' ELSE 'completed' END, CASE WHEN c THEN t + make_interval(hours => 3 + pg_temp.pick(i,'cx',200)) END
  FROM generate_series(1, 1500) AS i, LATERAL (SELECT timestamp '2022-01-02 08:00' + make_interval(mins => pg_temp.pick(i,'bt',1560000)) AS t, 1 + pg_temp.pick(i,'ld',70) AS lead, pg_temp.pick(i,'cc',8) = 0 AS c) AS x;
INSERT INTO categories VALUES (1,'Restaurant'),(2,'Bar'),(3,'Spa'),(4,'Parking'),(5,'Laundry'),(6,'Tours');
INSERT INTO products SELECT i, n, (ARRAY[1,1,1,2,2,3,3,4,5,6,6,2])[i], 4 + pg_temp.pick(i,'lp',900) / 10.0, CASE WHEN i <> 9 THEN 2 + pg_temp.pick(i,'ra',30) / 10.0 END
  FROM unnest(ARRAY['Breakfast buffet','Dinner menu','Room service','House wine','Cocktail','Massage','Sauna','Parking day','Laundry bag','City tour','Boat trip','Craft beer']) WITH ORDINALITY AS u(n, i);
INSERT INTO charges SELECT row_number() OVER (ORDER BY booking_id, k)::int, booking_id, check_in + make_interval(hours => 10 + pg_temp.pick(booking_id * 5 + k,'hr',30)) FROM bookings, LATERAL generate_series(1, pg_temp.pick(booking_id,'nc',3)) AS k WHERE status = 'completed';
INSERT INTO charge_lines SELECT charge_id, k, 1 + (pg_temp.pick(charge_id,'pr',11) + k * 3) % 11, 1 + pg_temp.pick(charge_id * 7 + k,'qt',5), 3 + pg_temp.pick(charge_id * 7 + k,'up',700) / 10.0, (ARRAY[0,0,0,0.05,0.1,0.25])[1 + pg_temp.pick(charge_id * 7 + k,'di',6)] FROM charges, LATERAL generate_series(1, 1 + pg_temp.pick(charge_id,'nl',3)) AS k;
INSERT INTO reviews SELECT row_number() OVER (ORDER BY booking_id)::int, booking_id, 1 + (pg_temp.pick(booking_id,'sc',14) + 3) / 4, CASE WHEN pg_temp.pick(booking_id,'cm',2) = 0 THEN (ARRAY['Lovely stay','Too noisy','Great breakfast','Dirty room','Friendly staff'])[1 + pg_temp.pick(booking_id,'ct',5)] END, check_out + make_interval(hours => 9 + pg_temp.pick(booking_id,'ph',300)) FROM bookings WHERE status = 'completed' AND pg_temp.pick(booking_id,'rv',3) = 0;
ANALYZE countries; ANALYZE cities; ANALYZE hotels; ANALYZE room_types; ANALYZE rooms; ANALYZE guests; ANALYZE bookings; ANALYZE categories; ANALYZE products; ANALYZE charges; ANALYZE charge_lines; ANALYZE reviews;
COMMIT;
