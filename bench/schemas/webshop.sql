-- A fashion shop as a web framework makes its tables: plain names, declared keys, statuses as text, amounts in euros and in cents.
-- The data is the same on every server. Load with: psql DSN -f bench/schemas/webshop.sql
BEGIN;
DROP SCHEMA IF EXISTS webshop CASCADE;
CREATE SCHEMA webshop;
SET LOCAL search_path = webshop;

CREATE TABLE customers (
    id            serial PRIMARY KEY,
    first_name    varchar(80) NOT NULL,
    last_name     varchar(80) NOT NULL,
    email         varchar(254) NOT NULL UNIQUE,
    phone         varchar(30),
    gender        varchar(10),
    date_of_birth date,
    newsletter_opt_in boolean NOT NULL DEFAULT false,
    created_at    timestamp NOT NULL,
    updated_at    timestamp NOT NULL
);

CREATE TABLE addresses (
    id           serial PRIMARY KEY,
    customer_id  integer NOT NULL REFERENCES customers(id),
    kind         varchar(20) NOT NULL,           -- shipping / billing
    street       varchar(200) NOT NULL,
    postal_code  varchar(20) NOT NULL,
    city         varchar(100) NOT NULL,
    country      varchar(60) NOT NULL,
    created_at   timestamp NOT NULL
);

CREATE TABLE categories (
    id         serial PRIMARY KEY,
    parent_id  integer REFERENCES categories(id),
    name       varchar(100) NOT NULL,
    slug       varchar(100) NOT NULL UNIQUE,
    position   integer NOT NULL DEFAULT 0
);

CREATE TABLE products (
    id          serial PRIMARY KEY,
    category_id integer NOT NULL REFERENCES categories(id),
    name        varchar(200) NOT NULL,
    brand       varchar(100) NOT NULL,
    material    varchar(60),
    price       numeric(10,2) NOT NULL,
    active      boolean NOT NULL DEFAULT true,
    created_at  timestamp NOT NULL
);

CREATE TABLE variants (
    id             serial PRIMARY KEY,
    product_id     integer NOT NULL REFERENCES products(id),
    sku            varchar(40) NOT NULL UNIQUE,
    size           varchar(10) NOT NULL,
    color          varchar(30) NOT NULL,
    stock_quantity integer NOT NULL DEFAULT 0,
    created_at     timestamp NOT NULL
);

CREATE TABLE coupons (
    id             serial PRIMARY KEY,
    code           varchar(30) NOT NULL UNIQUE,
    discount_type  varchar(10) NOT NULL,         -- percent / fixed
    discount_value numeric(8,2) NOT NULL,
    valid_from     date NOT NULL,
    valid_until    date,
    max_uses       integer,
    created_at     timestamp NOT NULL
);

CREATE TABLE orders (
    id                  serial PRIMARY KEY,
    number              varchar(20) NOT NULL UNIQUE,
    customer_id         integer NOT NULL REFERENCES customers(id),
    shipping_address_id integer NOT NULL REFERENCES addresses(id),
    coupon_id           integer REFERENCES coupons(id),
    status              varchar(20) NOT NULL,
    channel             varchar(20) NOT NULL,
    subtotal            numeric(10,2) NOT NULL DEFAULT 0,
    discount            numeric(10,2) NOT NULL DEFAULT 0,
    shipping_fee        numeric(10,2) NOT NULL DEFAULT 0,
    total               numeric(10,2) NOT NULL DEFAULT 0,
    created_at          timestamp NOT NULL,
    cancelled_at        timestamp
);

CREATE TABLE order_items (
    id         serial PRIMARY KEY,
    order_id   integer NOT NULL REFERENCES orders(id),
    variant_id integer NOT NULL REFERENCES variants(id),
    quantity   integer NOT NULL,
    unit_price numeric(10,2) NOT NULL
);

CREATE TABLE payments (
    id           serial PRIMARY KEY,
    order_id     integer NOT NULL REFERENCES orders(id),
    method       varchar(30) NOT NULL,
    status       varchar(20) NOT NULL,
    amount_cents integer NOT NULL,
    created_at   timestamp NOT NULL
);

CREATE TABLE shipments (
    id              serial PRIMARY KEY,
    order_id        integer NOT NULL REFERENCES orders(id),
    carrier         varchar(40) NOT NULL,
    tracking_number varchar(40),
    weight_grams    integer,
    shipped_at      timestamp NOT NULL,
    delivered_at    timestamp
);

CREATE TABLE returns (
    id            serial PRIMARY KEY,
    order_item_id integer NOT NULL REFERENCES order_items(id),
    quantity      integer NOT NULL,
    reason        varchar(60),
    status        varchar(20) NOT NULL,
    refund_amount numeric(10,2),
    created_at    timestamp NOT NULL
);

CREATE TABLE reviews (
    id          serial PRIMARY KEY,
    product_id  integer NOT NULL REFERENCES products(id),
    customer_id integer NOT NULL REFERENCES customers(id),
    rating      smallint NOT NULL CHECK (rating BETWEEN 1 AND 5),
    title       varchar(120),
    body        text,
    created_at  timestamp NOT NULL
);

-- customers -----------------------------------------------------------
INSERT INTO customers (first_name, last_name, email, phone, gender, date_of_birth, newsletter_opt_in, created_at, updated_at)
SELECT f.n, l.n,
       lower(f.n || '.' || replace(l.n, ' ', '')) || '@' || (ARRAY['gmail.com','outlook.com','gmx.de','web.de','icloud.com','orange.fr','gmail.com'])[1 + abs(hashtext('mail' || g)) % 7],
       CASE WHEN abs(hashtext('ph' || g)) % 4 = 0 THEN NULL
            ELSE '+49 1' || (50 + abs(hashtext('pa' || g)) % 29) || ' ' || (1000000 + abs(hashtext('pb' || g)) % 8999999) END,
       CASE WHEN abs(hashtext('gn' || g)) % 12 = 0 THEN NULL WHEN g % 40 < 25 THEN 'female' ELSE 'male' END,
       CASE WHEN abs(hashtext('dob' || g)) % 6 = 0 THEN NULL
            ELSE date '1958-01-15' + (abs(hashtext('dobx' || g)) % 17300) END,
       abs(hashtext('nl' || g)) % 100 < 46,
       c.ts, c.ts + (abs(hashtext('up' || g)) % 200) * interval '7 hours'
FROM generate_series(1, 120) g
CROSS JOIN LATERAL (SELECT (ARRAY['Anna','Laura','Sophie','Marie','Julia','Lena','Emma','Clara','Hannah','Charlotte','Camille','Chiara','Elena','Lucia','Ingrid','Katrin','Sabine','Petra','Nadia','Olivia','Amelie','Johanna','Franziska','Mia','Greta',
  'Lukas','Jonas','Felix','Paul','Thomas','Stefan','Markus','Pierre','Marco','Luca','Jan','Daniel','Oliver','Henrik','Tobias'])[1 + g % 40] AS n) f
CROSS JOIN LATERAL (SELECT (ARRAY['Müller','Schmidt','Schneider','Fischer','Weber','Meyer','Wagner','Becker','Schulz','Hoffmann','Koch','Richter','Klein','Wolf','Neumann','Schwarz','Zimmermann','Braun','Krüger','Hartmann','Lange','Werner','Krause','Lehmann','Dubois','Moreau','Laurent','Girard','Rossi','Bianchi','Ferrari','de Vries','Jansen','Bakker','Visser','Peeters','Maes','Huber','Gruber','Steiner','Winkler','Lindberg','Nielsen','Novak','Kowalski','Nowak','Keller'])[1 + g % 47] AS n) l
CROSS JOIN LATERAL (SELECT timestamp '2023-01-03 08:12:00' + (abs(hashtext('cr' || g)) % 1020) * interval '1 day' + (abs(hashtext('ct' || g)) % 840) * interval '1 minute' AS ts) c;

-- addresses: one shipping address each, a billing address for some ---
INSERT INTO addresses (customer_id, kind, street, postal_code, city, country, created_at)
SELECT c.id, 'shipping',
       (ARRAY['Hauptstraße','Bahnhofstraße','Gartenweg','Schillerstraße','Goethestraße','Lindenallee','Kirchplatz','Rosenweg','Am Markt','Bergstraße'])[1 + abs(hashtext('st' || c.id)) % 10] || ' ' || (1 + abs(hashtext('sn' || c.id)) % 140),
       p.z, p.city, p.country, c.created_at + interval '3 minutes'
FROM customers c
JOIN (VALUES (0,'10115','Berlin','Germany'),(1,'10115','Berlin','Germany'),(2,'20095','Hamburg','Germany'),(3,'80331','Munich','Germany'),(4,'50667','Cologne','Germany'),
             (5,'60311','Frankfurt','Germany'),(6,'04109','Leipzig','Germany'),(7,'70173','Stuttgart','Germany'),(8,'1010','Vienna','Austria'),(9,'1010','Vienna','Austria'),
             (10,'5020','Salzburg','Austria'),(11,'8001','Zurich','Switzerland'),(12,'3011','Bern','Switzerland'),(13,'75001','Paris','France'),(14,'69001','Lyon','France'),
             (15,'1012','Amsterdam','Netherlands'),(16,'3011','Rotterdam','Netherlands'),(17,'1000','Brussels','Belgium'),(18,'20121','Milan','Italy')) AS p(i, z, city, country)
  ON p.i = abs(hashtext('city' || c.id)) % 19;

INSERT INTO addresses (customer_id, kind, street, postal_code, city, country, created_at)
SELECT a.customer_id, 'billing',
       CASE WHEN abs(hashtext('bsame' || a.customer_id)) % 3 = 0 THEN 'Industriestraße ' || (3 + a.customer_id % 60) ELSE a.street END,
       a.postal_code, a.city, a.country, a.created_at + interval '2 minutes'
FROM addresses a
WHERE a.kind = 'shipping' AND abs(hashtext('bill' || a.customer_id)) % 5 < 2;

-- categories ----------------------------------------------------------
INSERT INTO categories (id, parent_id, name, slug, position) VALUES
 (1,NULL,'Women','women',1),(2,NULL,'Men','men',2),(3,NULL,'Kids','kids',3),(4,NULL,'Shoes','shoes',4),(5,NULL,'Accessories','accessories',5),
 (6,1,'Dresses','dresses',1),(7,1,'Blouses','blouses',2),(8,1,'Skirts','skirts',3),(9,1,'Knitwear','knitwear',4),(10,1,'Coats','coats',5),
 (11,2,'Shirts','shirts',1),(12,2,'Chinos','chinos',2),(13,2,'Suits','suits',3),(14,2,'Jackets','jackets',4),
 (15,3,'Baby','baby',1),(16,3,'Girls','girls',2),(17,3,'Boys','boys',3),
 (18,4,'Sneakers','sneakers',1),(19,4,'Boots','boots',2),(20,4,'Sandals','sandals',3),
 (21,5,'Bags','bags',1),(22,5,'Belts','belts',2),(23,5,'Scarves','scarves',3),(24,5,'Hats','hats',4),(25,5,'Sunglasses','sunglasses',5);
SELECT setval('categories_id_seq', 25);

-- products ------------------------------------------------------------
INSERT INTO products (category_id, name, brand, material, price, active, created_at)
SELECT v.cat, v.name, v.brand, v.material, v.price, v.active,
       timestamp '2022-11-02 09:00:00' + (v.ord * 13 % 700) * interval '1 day' + (v.ord % 9) * interval '37 minutes'
FROM (VALUES
 (1,6,'Floral Midi Dress','Maison Claire','viscose',79.90,true),
 (2,6,'Linen Wrap Dress','Nordhaus','linen',89.95,true),
 (3,6,'Satin Evening Dress','Velluto','polyester',149.00,true),
 (4,6,'Jersey T-Shirt Dress','Basic & Co','cotton',34.99,true),
 (5,6,'Pleated Maxi Dress','Maison Claire','polyester',99.90,false),
 (6,7,'Silk Bow Blouse','Velluto','silk',119.00,true),
 (7,7,'Cotton Poplin Blouse','Nordhaus','cotton',49.95,true),
 (8,7,'Striped Boyfriend Blouse','Basic & Co','cotton',29.99,true),
 (9,8,'Denim Mini Skirt','Bluework','denim',39.95,true),
 (10,8,'Pleated Midi Skirt','Maison Claire','polyester',59.90,true),
 (11,8,'Leather Pencil Skirt','Velluto','leather',179.00,true),
 (12,9,'Cashmere Crew Sweater','Nordhaus','cashmere',159.00,true),
 (13,9,'Merino Turtleneck','Nordhaus','wool',84.95,true),
 (14,9,'Chunky Cable Cardigan','Maison Claire','wool',94.90,true),
 (15,10,'Wool Blend Long Coat','Velluto','wool',249.00,true),
 (16,10,'Quilted Winter Coat','Nordhaus','polyester',189.95,true),
 (17,10,'Classic Trench Coat','Maison Claire','cotton',199.90,true),
 (18,11,'Oxford Button-Down Shirt','Harrow & Finch','cotton',54.95,true),
 (19,11,'Slim Fit Business Shirt','Harrow & Finch','cotton',59.95,true),
 (20,11,'Linen Summer Shirt','Nordhaus','linen',64.95,true),
 (21,11,'Flannel Check Shirt','Bluework','cotton',44.95,true),
 (22,12,'Slim Stretch Chino','Bluework','cotton',49.95,true),
 (23,12,'Relaxed Pleated Chino','Harrow & Finch','cotton',69.95,true),
 (24,12,'Cargo Chino','Bluework','cotton',59.90,false),
 (25,13,'Navy Two-Piece Suit','Harrow & Finch','wool',349.00,true),
 (26,13,'Grey Check Suit','Harrow & Finch','wool',379.00,true),
 (27,13,'Black Tuxedo','Velluto','wool',459.00,true),
 (28,14,'Denim Trucker Jacket','Bluework','denim',89.95,true),
 (29,14,'Waxed Field Jacket','Nordhaus','cotton',169.95,true),
 (30,14,'Leather Biker Jacket','Velluto','leather',299.00,true),
 (31,14,'Lightweight Bomber','Basic & Co','nylon',69.99,true),
 (32,15,'Organic Baby Romper','Piccolino','cotton',24.95,true),
 (33,15,'Knitted Baby Cardigan','Piccolino','cotton',29.95,true),
 (34,16,'Unicorn Tulle Dress','Piccolino','polyester',34.95,true),
 (35,16,'Girls Denim Dungarees','Bluework','denim',39.95,true),
 (36,17,'Dinosaur Hoodie','Piccolino','cotton',32.95,true),
 (37,17,'Boys Cargo Shorts','Bluework','cotton',27.95,true),
 (38,18,'Court Classic Sneaker','Stride','leather',89.90,true),
 (39,18,'Runner 2.0','Stride','mesh',109.90,true),
 (40,18,'Canvas Low Sneaker','Basic & Co','canvas',39.99,true),
 (41,18,'Platform Sneaker','Stride','leather',99.90,true),
 (42,19,'Chelsea Boot','Stride','leather',149.90,true),
 (43,19,'Hiking Boot','Nordhaus','leather',179.95,true),
 (44,19,'Suede Ankle Boot','Velluto','suede',169.00,true),
 (45,20,'Cork Footbed Sandal','Stride','suede',69.90,true),
 (46,20,'Espadrille Wedge','Maison Claire','canvas',74.90,true),
 (47,21,'Leather Tote Bag','Velluto','leather',189.00,true),
 (48,21,'Canvas Shopper','Basic & Co','canvas',24.99,true),
 (49,21,'Crossbody Bag','Maison Claire','leather',94.90,true),
 (50,21,'Laptop Backpack','Nordhaus','nylon',99.95,true),
 (51,22,'Reversible Leather Belt','Harrow & Finch','leather',39.95,true),
 (52,22,'Braided Belt','Basic & Co',NULL,19.99,true),
 (53,23,'Cashmere Scarf','Nordhaus','cashmere',89.95,true),
 (54,23,'Silk Square Scarf','Velluto','silk',69.00,true),
 (55,25,'Aviator Sunglasses','Solaris',NULL,59.00,true),
 (56,25,'Round Acetate Sunglasses','Solaris',NULL,79.00,false)
) AS v(ord, cat, name, brand, material, price, active)
ORDER BY v.ord;

-- variants ------------------------------------------------------------
INSERT INTO variants (product_id, sku, size, color, stock_quantity, created_at)
SELECT p.id, 'FS-' || lpad(p.id::text, 4, '0') || '-' || upper(left(k.color, 3)) || '-' || s.size,
       s.size, k.color,
       CASE WHEN abs(hashtext('stk' || p.id || s.size)) % 9 = 0 THEN 0 ELSE abs(hashtext('stq' || p.id || s.size)) % 85 END,
       p.created_at + interval '1 hour'
FROM products p
CROSS JOIN LATERAL (SELECT unnest(CASE WHEN p.category_id IN (6,7,8,9,10) THEN ARRAY['XS','S','M','L']
                            WHEN p.category_id IN (11,12,14) THEN ARRAY['S','M','L','XL','XXL']
                            WHEN p.category_id = 13 THEN ARRAY['48','50','52','54']
                            WHEN p.category_id = 15 THEN ARRAY['62','68','74','80']
                            WHEN p.category_id IN (16,17) THEN ARRAY['104','116','128','140']
                            WHEN p.category_id IN (18,19,20) THEN ARRAY['38','40','42','44']
                            WHEN p.category_id = 22 THEN ARRAY['85','95','105']
                            ELSE ARRAY['One Size'] END) AS size) s
CROSS JOIN LATERAL (SELECT (ARRAY['Black','White','Navy','Beige','Grey','Red','Olive','Brown'])[1 + abs(hashtext('col' || p.id || s.size)) % 8] AS color) k
ORDER BY p.id, s.size;

-- coupons -------------------------------------------------------------
INSERT INTO coupons (code, discount_type, discount_value, valid_from, valid_until, max_uses, created_at) VALUES
 ('WELCOME10','percent',10,'2023-01-01',NULL,NULL,'2022-12-20 10:00'),
 ('SPRING15','percent',15,'2023-03-01','2023-05-31',500,'2023-02-20 09:30'),
 ('BLACK25','percent',25,'2023-11-20','2023-11-30',1000,'2023-11-02 14:00'),
 ('SUMMER20','percent',20,'2024-06-01','2024-08-31',500,'2024-05-15 11:10'),
 ('FRIEND5','fixed',5,'2023-01-01',NULL,NULL,'2022-12-20 10:05'),
 ('LOYAL20','fixed',20,'2024-01-01',NULL,300,'2023-12-12 16:45'),
 ('BLACK30','percent',30,'2024-11-22','2024-12-02',1000,'2024-11-04 08:20'),
 ('NEWYEAR25','percent',25,'2025-01-01','2025-01-15',200,'2024-12-18 12:00'),
 ('SHOES10','fixed',10,'2025-02-01','2025-12-31',400,'2025-01-22 15:30'),
 ('VIP50','fixed',50,'2025-06-01','2025-12-31',50,'2025-05-20 09:00'),
 ('PRESS100','percent',100,'2024-03-01','2024-12-31',5,'2024-02-25 10:15');

-- orders --------------------------------------------------------------
INSERT INTO orders (number, customer_id, shipping_address_id, coupon_id, status, channel, created_at)
SELECT 'FS' || to_char(o.ts, 'YY') || '-' || lpad((10000 + row_number() OVER (ORDER BY o.ts, o.g))::text, 5, '0'),
       o.cid, a.id,
       CASE WHEN abs(hashtext('cpn' || o.g)) % 100 < 30 THEN
            (SELECT k.id FROM coupons k WHERE k.valid_from <= o.ts::date AND (k.valid_until IS NULL OR k.valid_until >= o.ts::date) AND k.id NOT IN (11)
             ORDER BY abs(hashtext(k.code || o.g)) LIMIT 1) END,
       CASE WHEN abs(hashtext('stat' || o.g)) % 100 < 9 THEN 'cancelled'
            WHEN o.ts > timestamp '2025-12-14' THEN (ARRAY['pending','paid','shipped'])[1 + abs(hashtext('st2' || o.g)) % 3]
            WHEN o.ts > timestamp '2025-11-25' THEN (ARRAY['paid','shipped','delivered'])[1 + abs(hashtext('st2' || o.g)) % 3]
            WHEN abs(hashtext('stat' || o.g)) % 100 < 11 THEN 'shipped'
            ELSE 'delivered' END,
       (ARRAY['web','web','app','app','app','marketplace','web'])[1 + abs(hashtext('chan' || o.g)) % 7],
       o.ts
FROM (SELECT g, c.id AS cid,
             c.created_at + interval '25 minutes' + power((abs(hashtext('when' || g)) % 10000) / 10000.0, 1.2)::float8 * (timestamp '2025-12-28 20:00' - c.created_at) AS ts
      FROM generate_series(1, 320) g
      JOIN customers c ON c.id = 1 + floor(120 * power((abs(hashtext('who' || g * 17)) % 10000) / 10000.0, 1.6))::int
      WHERE c.id % 11 <> 7) o
JOIN addresses a ON a.customer_id = o.cid AND a.kind = 'shipping'
ORDER BY o.ts, o.g;
UPDATE orders SET created_at = date_trunc('second', created_at);
UPDATE orders SET cancelled_at = created_at + (1 + abs(hashtext('can' || id)) % 70) * interval '1 hour' WHERE status = 'cancelled';

-- order items ---------------------------------------------------------
INSERT INTO order_items (order_id, variant_id, quantity, unit_price)
SELECT DISTINCT ON (o.id, v.id) o.id, v.id,
       CASE WHEN abs(hashtext('q' || o.id || '-' || n)) % 10 < 8 THEN 1 WHEN abs(hashtext('q' || o.id || '-' || n)) % 10 = 8 THEN 2 ELSE 3 END,
       CASE WHEN abs(hashtext('sale' || o.id || '-' || n)) % 6 = 0 THEN round(p.price * 0.8, 2) ELSE p.price END
FROM orders o
CROSS JOIN LATERAL generate_series(1, (ARRAY[1,1,1,2,2,2,2,3,3])[1 + abs(hashtext('cnt' || o.id)) % 9]) n
JOIN variants v ON v.id = 1 + abs(hashtext('var' || o.id || '-' || n)) % 212
JOIN products p ON p.id = v.product_id
WHERE p.id NOT IN (11, 27, 46, 52)
ORDER BY o.id, v.id, n;

INSERT INTO order_items (order_id, variant_id, quantity, unit_price)
SELECT o.id, v.id, 1, p.price
FROM orders o
JOIN variants v ON v.id = (SELECT min(x.id) + abs(hashtext('fix' || o.id)) % 4 FROM variants x WHERE x.product_id = 38 + o.id % 4)
JOIN products p ON p.id = v.product_id
WHERE NOT EXISTS (SELECT 1 FROM order_items i WHERE i.order_id = o.id);

UPDATE orders o SET subtotal = s.x FROM (SELECT order_id, sum(quantity * unit_price) AS x FROM order_items GROUP BY order_id) s WHERE s.order_id = o.id;
UPDATE orders o SET discount = CASE k.discount_type WHEN 'percent' THEN round(o.subtotal * k.discount_value / 100, 2) ELSE least(k.discount_value, o.subtotal) END
FROM coupons k WHERE k.id = o.coupon_id;
UPDATE orders SET shipping_fee = CASE WHEN subtotal >= 150 THEN 0 WHEN id % 8 = 0 THEN 9.95 ELSE 4.95 END;
UPDATE orders SET total = subtotal - discount + shipping_fee;

-- payments ------------------------------------------------------------
INSERT INTO payments (order_id, method, status, amount_cents, created_at)
SELECT o.id, m.method, x.status, (o.total * 100)::int, o.created_at + x.mins * interval '1 minute'
FROM orders o
CROSS JOIN LATERAL (SELECT (ARRAY['credit_card','credit_card','paypal','paypal','paypal','klarna','klarna','bank_transfer','gift_card'])[1 + abs(hashtext('pm' || o.id)) % 9] AS method) m
CROSS JOIN LATERAL (
   SELECT 'failed' AS status, 2 AS mins WHERE abs(hashtext('fail' || o.id)) % 9 = 0
   UNION ALL
   SELECT CASE WHEN o.status = 'pending' THEN 'pending' WHEN o.status = 'cancelled' THEN 'refunded' ELSE 'captured' END, 6 + abs(hashtext('pmin' || o.id)) % 400
   WHERE NOT (o.status = 'cancelled' AND abs(hashtext('nopay' || o.id)) % 2 = 0)) x
ORDER BY 5;

-- shipments -----------------------------------------------------------
INSERT INTO shipments (order_id, carrier, tracking_number, weight_grams, shipped_at, delivered_at)
SELECT o.id, k.carrier,
       CASE WHEN abs(hashtext('trk' || o.id)) % 15 = 0 THEN NULL ELSE upper(left(k.carrier, 2)) || lpad((abs(hashtext('trn' || o.id || n)) % 1000000000)::text, 10, '0') END,
       CASE WHEN abs(hashtext('wt' || o.id)) % 12 = 0 THEN NULL ELSE 250 + abs(hashtext('wg' || o.id || n)) % 3200 END,
       d.s,
       CASE WHEN o.status = 'delivered' THEN d.s + (20 + k.slow + abs(hashtext('dlv' || o.id || n)) % 90) * interval '1 hour' END
FROM orders o
CROSS JOIN LATERAL generate_series(1, CASE WHEN abs(hashtext('split' || o.id)) % 16 = 0 THEN 2 ELSE 1 END) n
CROSS JOIN LATERAL (SELECT (ARRAY['DHL','DHL','DHL','DPD','DPD','UPS','GLS','Hermes'])[1 + abs(hashtext('car' || o.id)) % 8] AS carrier,
                           (ARRAY[0,0,0,8,8,4,14,26])[1 + abs(hashtext('car' || o.id)) % 8] AS slow) k
CROSS JOIN LATERAL (SELECT o.created_at + (6 + abs(hashtext('shp' || o.id)) % 66 + (n - 1) * 24) * interval '1 hour' AS s) d
WHERE o.status IN ('shipped','delivered')
ORDER BY d.s;

-- returns -------------------------------------------------------------
INSERT INTO returns (order_item_id, quantity, reason, status, refund_amount, created_at)
SELECT i.id, CASE WHEN i.quantity > 1 AND i.id % 2 = 0 THEN i.quantity ELSE 1 END,
       (ARRAY['too small','too small','too large','too large','too large','not as described','damaged','changed mind','changed mind','wrong item',NULL])[1 + abs(hashtext('rsn' || i.id)) % 11],
       r.st,
       CASE WHEN r.st = 'refunded' THEN i.unit_price * CASE WHEN i.quantity > 1 AND i.id % 2 = 0 THEN i.quantity ELSE 1 END END,
       d.delivered_at + (2 + abs(hashtext('rtd' || i.id)) % 26) * interval '11 hours'
FROM order_items i
JOIN orders o ON o.id = i.order_id AND o.status = 'delivered'
JOIN (SELECT order_id, max(delivered_at) AS delivered_at FROM shipments GROUP BY order_id) d ON d.order_id = o.id
CROSS JOIN LATERAL (SELECT (ARRAY['refunded','refunded','refunded','refunded','refunded','refunded','received','rejected','requested'])[1 + abs(hashtext('rst' || i.id)) % 9] AS st) r
WHERE abs(hashtext('ret' || i.id)) % 100 < 19 AND d.delivered_at < timestamp '2025-12-18'
ORDER BY 6;

-- reviews -------------------------------------------------------------
INSERT INTO reviews (product_id, customer_id, rating, title, body, created_at)
SELECT q.product_id, q.customer_id, q.rating,
       CASE WHEN abs(hashtext('rt' || q.id)) % 4 = 0 THEN NULL
            WHEN q.rating = 5 THEN (ARRAY['Love it!','Perfect fit','Highly recommended'])[1 + q.id % 3]
            WHEN q.rating = 4 THEN (ARRAY['Very nice','Good quality','Happy with it'])[1 + q.id % 3]
            WHEN q.rating = 3 THEN (ARRAY['It is okay','Average'])[1 + q.id % 2]
            ELSE (ARRAY['Disappointed','Poor quality','Not worth the price'])[1 + q.id % 3] END,
       CASE WHEN abs(hashtext('rb' || q.id)) % 3 = 0 THEN NULL
            WHEN q.rating >= 4 THEN 'Great material and fast delivery, would buy again.'
            WHEN q.rating = 3 THEN 'Looks fine but the size runs small.'
            ELSE 'The colour is different from the photo and the seam came loose.' END,
       q.ts
FROM (SELECT DISTINCT ON (v.product_id, o.customer_id) i.id, v.product_id, o.customer_id,
             greatest(1, least(5, (ARRAY[5,5,5,4,4,4,3,2,1])[1 + abs(hashtext('rate' || i.id)) % 9] - CASE WHEN v.product_id % 7 = 3 THEN 1 ELSE 0 END)) AS rating,
             o.created_at + (6 + abs(hashtext('rvd' || i.id)) % 30) * interval '1 day' AS ts
      FROM order_items i JOIN orders o ON o.id = i.order_id JOIN variants v ON v.id = i.variant_id
      WHERE o.status = 'delivered' AND o.created_at < timestamp '2025-11-20' AND abs(hashtext('rev' || i.id)) % 100 < 42
      ORDER BY v.product_id, o.customer_id, i.id) q
ORDER BY q.ts;

COMMIT;
