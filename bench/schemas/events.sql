-- A ticketing company for concerts and sports: plain names, declared keys.
-- The data is the same on every server. Load with: psql DSN -f bench/schemas/events.sql
BEGIN;
DROP SCHEMA IF EXISTS events CASCADE;
CREATE SCHEMA events;
SET LOCAL search_path = events;

CREATE OR REPLACE FUNCTION pg_temp.h(k text, i bigint) RETURNS int LANGUAGE sql IMMUTABLE AS
$$ SELECT ('x' || substr(md5(k || ':' || i), 1, 7))::bit(28)::int $$;

CREATE TABLE venues (
  venue_id     integer PRIMARY KEY,
  name         varchar(80) NOT NULL,
  city         varchar(60) NOT NULL,
  country      varchar(40) NOT NULL,
  opened_year  integer,
  is_indoor    boolean NOT NULL
);
CREATE TABLE halls (
  hall_id   integer PRIMARY KEY,
  venue_id  integer NOT NULL REFERENCES venues,
  name      varchar(60) NOT NULL,
  capacity  integer NOT NULL,
  is_seated boolean NOT NULL
);
CREATE TABLE organisers (
  organiser_id   integer PRIMARY KEY,
  name           varchar(80) NOT NULL,
  country        varchar(40) NOT NULL,
  contact_email  varchar(100),
  commission_pct numeric(4,1) NOT NULL
);
CREATE TABLE events (
  event_id      integer PRIMARY KEY,
  organiser_id  integer NOT NULL REFERENCES organisers,
  title         varchar(100) NOT NULL,
  category      varchar(20) NOT NULL,
  genre         varchar(30),
  minimum_age   integer,
  announced_on  date NOT NULL
);
CREATE TABLE performances (
  performance_id integer PRIMARY KEY,
  event_id       integer NOT NULL REFERENCES events,
  hall_id        integer NOT NULL REFERENCES halls,
  starts_at      timestamp NOT NULL,
  ends_at        timestamp,
  status         varchar(12) NOT NULL CHECK (status IN ('scheduled','completed','cancelled','postponed'))
);
CREATE TABLE ticket_types (
  ticket_type_id integer PRIMARY KEY,
  performance_id integer NOT NULL REFERENCES performances,
  name           varchar(30) NOT NULL,
  price          numeric(8,2) NOT NULL,
  quota          integer NOT NULL
);
CREATE TABLE customers (
  customer_id    integer PRIMARY KEY,
  first_name     varchar(40) NOT NULL,
  last_name      varchar(40) NOT NULL,
  email          varchar(100) NOT NULL UNIQUE,
  phone          varchar(30),
  city           varchar(60),
  country        varchar(40) NOT NULL,
  birth_date     date,
  registered_on  date NOT NULL,
  newsletter     boolean NOT NULL
);
CREATE TABLE promotions (
  promotion_id integer PRIMARY KEY,
  code         varchar(20) NOT NULL UNIQUE,
  description  varchar(120),
  discount_pct numeric(4,1) NOT NULL,
  valid_from   date NOT NULL,
  valid_to     date
);
CREATE TABLE orders (
  order_id       integer PRIMARY KEY,
  customer_id    integer NOT NULL REFERENCES customers,
  performance_id integer NOT NULL REFERENCES performances,
  promotion_id   integer REFERENCES promotions,
  ordered_at     timestamp NOT NULL,
  channel        varchar(12) NOT NULL,
  status         varchar(12) NOT NULL CHECK (status IN ('paid','pending','cancelled','refunded')),
  total_amount   numeric(10,2) NOT NULL DEFAULT 0
);
CREATE TABLE tickets (
  ticket_id      integer PRIMARY KEY,
  order_id       integer NOT NULL REFERENCES orders,
  ticket_type_id integer NOT NULL REFERENCES ticket_types,
  seat           varchar(10),
  price_paid     numeric(8,2) NOT NULL,
  checked_in_at  timestamp,
  gate           varchar(5)
);
CREATE TABLE payments (
  payment_id integer PRIMARY KEY,
  order_id   integer NOT NULL REFERENCES orders,
  method     varchar(20) NOT NULL,
  status     varchar(10) NOT NULL CHECK (status IN ('captured','failed')),
  amount     numeric(10,2) NOT NULL,
  paid_at    timestamp NOT NULL
);
CREATE TABLE refunds (
  refund_id    integer PRIMARY KEY,
  payment_id   integer NOT NULL REFERENCES payments,
  amount       numeric(10,2) NOT NULL,
  reason       varchar(40),
  requested_at timestamp NOT NULL,
  processed_at timestamp
);
COMMENT ON COLUMN tickets.checked_in_at IS 'Time the ticket was scanned at the gate; null if never scanned';
COMMENT ON COLUMN orders.total_amount IS 'Sum of the ticket prices after discount';

INSERT INTO venues VALUES
 (1,'Northgate Arena','Manchester','United Kingdom',1998,true),
 (2,'Harbour Stadium','Liverpool','United Kingdom',1976,false),
 (3,'Thames Concert Hall','London','United Kingdom',1951,true),
 (4,'Wembrook Park','London','United Kingdom',2007,false),
 (5,'Salle Lumière','Paris','France',1934,true),
 (6,'Stade des Tilleuls','Lyon','France',2016,false),
 (7,'Spreehalle','Berlin','Germany',2008,true),
 (8,'Isarpark Arena','Munich','Germany',2005,false),
 (9,'Elbe Forum','Hamburg','Germany',2017,true),
 (10,'Palau del Mar','Barcelona','Spain',1990,true),
 (11,'Teatro Castellana','Madrid','Spain',1925,true),
 (12,'Canal Dome','Amsterdam','Netherlands',2012,true),
 (13,'Liffey Theatre','Dublin','Ireland',NULL,true),
 (14,'Clyde Works','Glasgow','United Kingdom',1985,true),
 (15,'Docklands Open Air','Rotterdam','Netherlands',2021,false),
 (16,'Tivoli Gardens Stage','Copenhagen','Denmark',NULL,false);

INSERT INTO halls VALUES
 (1,1,'Main Arena',14500,true),(2,1,'Studio',900,false),
 (3,2,'Main Bowl',38200,true),
 (4,3,'Great Hall',2850,true),(5,3,'Recital Room',420,true),(6,3,'Riverside Room',260,false),
 (7,4,'Stadium',52000,true),
 (8,5,'Grande Salle',1950,true),(9,5,'Petite Salle',340,true),
 (10,6,'Terrain Principal',27400,true),
 (11,7,'Halle A',8200,true),(12,7,'Halle B',3100,false),(13,7,'Club',650,false),
 (14,8,'Arena',44800,true),
 (15,9,'Grosser Saal',2100,true),(16,9,'Kammersaal',550,true),
 (17,10,'Sala Gran',16700,true),(18,10,'Sala Petita',1200,false),
 (19,11,'Sala Principal',1480,true),
 (20,12,'Dome',17300,true),(21,12,'Basement',780,false),
 (22,13,'Main Stage',1230,true),(23,13,'Upstairs',180,true),
 (24,14,'Turbine Room',2400,false),(25,14,'Loft',310,false),
 (26,15,'Open Air Field',22500,false);

INSERT INTO organisers VALUES
 (1,'Bluebird Live','United Kingdom','bookings@bluebirdlive.example',12.5),
 (2,'Kessler Konzerte','Germany','info@kessler.example',10.0),
 (3,'Scène Ouverte','France','contact@sceneouverte.example',11.0),
 (4,'Northern Football Union','United Kingdom','tickets@nfu.example',6.0),
 (5,'Iberia Shows','Spain',NULL,13.0),
 (6,'Lowlands Events','Netherlands','hello@lowlands.example',9.5),
 (7,'Emerald Promotions','Ireland','office@emerald.example',12.0),
 (8,'EuroHoops','Germany','events@eurohoops.example',7.5),
 (9,'Laugh Factory Tours','United Kingdom',NULL,15.0),
 (10,'Classic Circle','United Kingdom','desk@classiccircle.example',8.0),
 (11,'Athletica Sport','France','pro@athletica.example',7.0),
 (12,'Nordlys Music','Denmark','post@nordlys.example',10.5),
 (13,'Grand Slam Management','Spain','gsm@grandslam.example',9.0);

INSERT INTO events VALUES
 (1,1,'The Paper Lanterns: Afterglow Tour','concert','rock',NULL,'2023-01-10'),
 (2,1,'Mara Vance Live','concert','pop',NULL,'2023-01-24'),
 (3,1,'Iron Meridian Farewell','concert','metal',16,'2023-05-08'),
 (4,1,'City Lights Festival','concert','pop',14,'2024-01-15'),
 (5,2,'Hans Zettler Orchester','concert','classical',NULL,'2023-02-02'),
 (6,2,'Nachtschicht Electronica','concert','electronic',18,'2023-06-19'),
 (7,2,'Berlin Jazz Weeks','concert','jazz',NULL,'2024-03-04'),
 (8,2,'Stahlwerk Open','concert','metal',16,'2024-09-02'),
 (9,3,'Chansons d''Automne','concert','folk',NULL,'2023-04-03'),
 (10,3,'Les Nuits Électriques','concert','electronic',18,'2024-02-12'),
 (11,3,'Camille Roche en Concert','concert','pop',NULL,'2024-08-26'),
 (12,4,'Northern Cup','sport','football',NULL,'2023-01-05'),
 (13,4,'Charity Shield Friendly','sport','football',NULL,'2024-01-22'),
 (14,4,'Northern Cup 2025','sport','football',NULL,'2024-11-18'),
 (15,5,'Flamenco Sin Fronteras','concert','folk',NULL,'2023-03-13'),
 (16,5,'Lola Duarte: Fuego','concert','pop',NULL,'2023-09-11'),
 (17,5,'Noche de Comedia','comedy','stand-up',18,'2024-05-20'),
 (18,6,'Polder Rock','concert','rock',NULL,'2023-02-20'),
 (19,6,'Deep Canal Sessions','concert','electronic',18,'2023-10-02'),
 (20,6,'Polder Rock Anniversary','concert','rock',NULL,'2025-01-13'),
 (21,7,'The Wandering Fiddlers','concert','folk',NULL,'2023-05-22'),
 (22,7,'Siobhan Keane Unplugged','concert','folk',NULL,'2024-04-15'),
 (23,8,'EuroHoops Regular Season','sport','basketball',NULL,'2023-03-20'),
 (24,8,'EuroHoops Final Four','sport','basketball',NULL,'2024-01-08'),
 (25,8,'Three-Point Challenge','sport','basketball',NULL,'2024-10-14'),
 (26,9,'Dave Millican: Mostly Harmless','comedy','stand-up',16,'2023-02-27'),
 (27,9,'Improv Allstars','comedy','improv',16,'2023-11-06'),
 (28,9,'Priya Nair: Second Helping','comedy','stand-up',16,'2024-06-10'),
 (29,10,'Winter Serenades','concert','classical',NULL,'2023-07-17'),
 (30,10,'Requiem by Candlelight','concert','classical',NULL,'2024-07-01'),
 (31,10,'Young Virtuosi Gala','concert','classical',NULL,'2025-02-10'),
 (32,11,'Rugby Autumn Series','sport','rugby',NULL,'2023-06-05'),
 (33,11,'Lyon Athletics Meeting','sport','athletics',NULL,'2024-02-26'),
 (34,11,'Indoor Handball Masters','sport','handball',NULL,'2024-12-09'),
 (35,13,'Barcelona Indoor Tennis','sport','tennis',NULL,'2023-08-14'),
 (36,13,'Madrid Tennis Exhibition','sport','tennis',NULL,'2024-09-23'),
 (37,1,'Kids Sing-Along Show','family',NULL,NULL,'2023-09-04'),
 (38,6,'Dinosaurs on Ice','family',NULL,NULL,'2024-03-25'),
 (39,3,'Cirque des Étoiles','family',NULL,NULL,'2024-10-07'),
 (40,7,'Dublin Blues Weekend','concert','blues',18,'2025-03-03'),
 (41,9,'Late Night Laughs','comedy','stand-up',18,'2025-04-14'),
 (42,2,'Synth Horizon','concert','electronic',NULL,'2025-05-12');

-- each event except 40 and 42 has 1..5 performances
INSERT INTO performances
SELECT row_number() OVER (ORDER BY s, event_id, k), event_id, hall_id, s,
       CASE WHEN pg_temp.h('pe', event_id*10+k) % 9 = 0 THEN NULL
            ELSE s + (90 + 15 * (pg_temp.h('pd', event_id*10+k) % 9)) * interval '1 minute' END,
       CASE WHEN pg_temp.h('ps', event_id*10+k) % 13 = 0 THEN 'cancelled'
            WHEN pg_temp.h('ps', event_id*10+k) % 29 = 1 THEN 'postponed'
            WHEN s >= '2025-07-01' THEN 'scheduled' ELSE 'completed' END
FROM (
 SELECT e.event_id, k,
   1 + pg_temp.h('ph', e.event_id*3 + k/3) % 25 AS hall_id,
   LEAST(e.announced_on + 45 + 52*(k-1) + pg_temp.h('pt', e.event_id*10+k) % 60, date '2025-12-20' - (e.event_id*10+k) % 40)
     + (14 + pg_temp.h('pk', e.event_id*10+k) % 7) * interval '1 hour'
     + (pg_temp.h('pm', e.event_id*10+k) % 2) * interval '30 minutes' AS s
 FROM events e, generate_series(1,6) k
 WHERE e.event_id NOT IN (40,42) AND k <= 1 + pg_temp.h('pn', e.event_id) % 6
) x;

INSERT INTO ticket_types
SELECT row_number() OVER (ORDER BY p.performance_id, t.k), p.performance_id, t.name,
   round((18 + 7*(pg_temp.h('base', p.event_id) % 10)) * t.f + CASE WHEN t.k=1 THEN 0.5 ELSE 0 END, 2),
   greatest((h.capacity * t.q)::int, 10)
FROM performances p JOIN halls h USING (hall_id)
CROSS JOIN (VALUES (1,'Standard',1.0,0.6),(2,'Premium',1.6,0.2),(3,'VIP',3.0,0.03),(4,'Concession',0.7,0.1)) t(k,name,f,q)
WHERE t.k <= 2 OR (t.k = 3 AND pg_temp.h('v', p.performance_id) % 3 > 0) OR (t.k = 4 AND pg_temp.h('c', p.performance_id) % 2 = 0);

INSERT INTO customers
SELECT i, fn, ln, lower(translate(fn || '.' || ln,'éèüöñí ','eeuoni')) || i || '@mail.example',
  CASE WHEN pg_temp.h('cp', i) % 4 = 0 THEN NULL ELSE '+44 20 7' || lpad((pg_temp.h('cph', i) % 1000000)::text, 6, '0') END,
  CASE WHEN pg_temp.h('cc', i) % 17 = 0 THEN NULL ELSE split_part(c, '|', 1) END, split_part(c, '|', 2),
  CASE WHEN pg_temp.h('cb', i) % 11 = 0 THEN NULL ELSE date '1955-01-01' + pg_temp.h('cbd', i) % 18500 END,
  date '2023-01-02' + ((i-1) * 880 / 300) + pg_temp.h('cr', i) % 20,
  pg_temp.h('cn', i) % 5 < 2
FROM (
 SELECT i,
  (ARRAY['Oliver','Amelia','Jack','Sophie','Lukas','Marie','Pierre','Claire','Javier','Lucía','Daan','Emma','Sean','Aoife','Anna','Jonas','Priya','Omar','Grace','Noah','Hannah','Mateo','Ines','Femke','Ruth'])[1 + i * 7 % 25] fn,
  (ARRAY['Smith','Taylor','Hughes','Müller','Schneider','Dubois','Lefèvre','García','Moreno','de Vries','Bakker','Murphy','Byrne','Patel','Khan','Walker','Fischer','Martin','Ortega','Jansen','Clarke','Weber','Roux','Doyle','Evans','Novak','Larsen'])[1 + i * 11 % 27] ln,
  (ARRAY['London|United Kingdom','Manchester|United Kingdom','Liverpool|United Kingdom','Glasgow|United Kingdom','London|United Kingdom','Paris|France','Lyon|France','Berlin|Germany','Munich|Germany','Hamburg|Germany','Barcelona|Spain','Madrid|Spain','Amsterdam|Netherlands','Dublin|Ireland','Berlin|Germany','Rotterdam|Netherlands'])[1 + pg_temp.h('ci', i) % 16] c
 FROM generate_series(1,300) i
) x;

INSERT INTO promotions VALUES
 (1,'WELCOME10','10% off the first order',10,'2023-01-01',NULL),
 (2,'SPRING23','Spring campaign 2023',15,'2023-03-01','2023-05-31'),
 (3,'SUMMER23','Summer campaign 2023',12.5,'2023-06-01','2023-08-31'),
 (4,'XMAS23','Christmas gift offer 2023',20,'2023-11-20','2023-12-24'),
 (5,'STUDENT',NULL,25,'2023-09-01',NULL),
 (6,'SPRING24','Spring campaign 2024',15,'2024-03-01','2024-05-31'),
 (7,'SUMMER24','Summer campaign 2024',12.5,'2024-06-01','2024-08-31'),
 (8,'XMAS24','Christmas gift offer 2024',20,'2024-11-20','2024-12-24'),
 (9,'PARTNER5','Partner newsletter code',5,'2024-01-01','2025-06-30'),
 (10,'EARLYBIRD25','Early booking 2025',18,'2025-01-06','2025-02-28'),
 (11,'VIPFRIENDS','Friends of the house',30,'2025-03-01','2025-12-31');

-- orders: customer picked with a skew among those already registered, placed 1..44 days before the show
INSERT INTO orders
SELECT row_number() OVER (ORDER BY o_at, i), cust, performance_id,
   CASE WHEN pg_temp.h('opr', i) % 4 = 0 THEN
     (SELECT promotion_id FROM promotions q WHERE o_at::date BETWEEN q.valid_from AND COALESCE(q.valid_to, '2025-12-31')
      AND NOT (q.promotion_id = 11 AND i % 3 > 0)
      ORDER BY pg_temp.h('oq', i * 20 + q.promotion_id) LIMIT 1) END,
   o_at,
   (ARRAY['web','web','web','app','app','phone','box office'])[1 + pg_temp.h('och', i) % 7],
   CASE WHEN pstat = 'cancelled' THEN CASE WHEN pg_temp.h('ost', i) % 8 = 0 THEN 'cancelled' ELSE 'refunded' END
        WHEN pg_temp.h('ost', i) % 15 = 0 THEN 'cancelled'
        WHEN pg_temp.h('ost', i) % 23 = 1 THEN 'refunded'
        WHEN pg_temp.h('ost', i) % 40 = 2 THEN 'pending' ELSE 'paid' END
FROM (
 SELECT i, p.performance_id, p.status pstat, o_at,
   (SELECT customer_id FROM customers c WHERE c.registered_on <= o_at::date AND c.customer_id % 9 <> 4
     ORDER BY pg_temp.h('occ', i::bigint * 1000 + c.customer_id) / (1.0 + (c.customer_id * 37 % 11)) LIMIT 1) cust
 FROM generate_series(1, 860) i
 JOIN performances p ON p.performance_id = 1 + (least(pg_temp.h('op', i) % 10007, pg_temp.h('op2', i) % 11003) * 7919 % 100003) % (SELECT count(*)::int - 4 FROM performances)
 CROSS JOIN LATERAL (SELECT date_trunc('day', p.starts_at) - (1 + pg_temp.h('od', i) % 44) * interval '1 day'
    + (8*60 + pg_temp.h('om', i) % 840) * interval '1 minute' AS o_at) t
 WHERE o_at BETWEEN '2023-01-20' AND '2025-06-30'
) x
WHERE cust IS NOT NULL;

INSERT INTO tickets
SELECT row_number() OVER (ORDER BY o.order_id, n), o.order_id, tt.ticket_type_id,
  CASE WHEN hl.is_seated THEN chr(65 + pg_temp.h('row', o.order_id) % 20) || (1 + pg_temp.h('seat', o.order_id) % 36 + n) END,
  round(tt.price * (1 - COALESCE(pr.discount_pct, 0) / 100), 2),
  CASE WHEN o.status = 'paid' AND p.status = 'completed' AND pg_temp.h('chk', o.order_id * 10 + n) % 8 > 0
       THEN p.starts_at - (5 + pg_temp.h('ckm', o.order_id * 10 + n) % 85) * interval '1 minute' END,
  NULL
FROM orders o JOIN performances p USING (performance_id) JOIN halls hl USING (hall_id)
LEFT JOIN promotions pr USING (promotion_id)
CROSS JOIN generate_series(1, 6) n
JOIN LATERAL (SELECT * FROM ticket_types t WHERE t.performance_id = o.performance_id
   ORDER BY pg_temp.h('tt', o.order_id * 10 + n / 3) % 7 * (CASE t.name WHEN 'VIP' THEN 5 WHEN 'Premium' THEN 2 ELSE 1 END) + t.ticket_type_id % 3, t.ticket_type_id
   OFFSET (CASE WHEN pg_temp.h('tx', o.order_id * 10 + n / 4) % 10 < 5 THEN 0 WHEN pg_temp.h('tx', o.order_id * 10 + n / 4) % 10 < 8 THEN 1 ELSE 2 END)
   LIMIT 1) tt ON true
WHERE n <= (ARRAY[1,2,2,2,2,3,1,4,2,5,3,1])[1 + pg_temp.h('tn', o.order_id) % 12];
UPDATE tickets SET gate = (ARRAY['A','B','C','D'])[1 + pg_temp.h('g', ticket_id) % 4] WHERE checked_in_at IS NOT NULL;
-- an order whose ticket type could not be picked gets one standard ticket
INSERT INTO tickets
SELECT (SELECT max(ticket_id) FROM tickets) + row_number() OVER (ORDER BY o.order_id), o.order_id, tt.ticket_type_id, NULL,
  round(tt.price * (1 - COALESCE(pr.discount_pct, 0) / 100), 2), NULL, NULL
FROM orders o JOIN ticket_types tt ON tt.performance_id = o.performance_id AND tt.name = 'Standard'
LEFT JOIN promotions pr USING (promotion_id)
WHERE NOT EXISTS (SELECT 1 FROM tickets t WHERE t.order_id = o.order_id);
UPDATE orders o SET total_amount = (SELECT sum(price_paid) FROM tickets t WHERE t.order_id = o.order_id);

INSERT INTO payments
SELECT row_number() OVER (ORDER BY at, order_id, st DESC), order_id, m, st, total_amount, at FROM (
 SELECT order_id, (ARRAY['credit card','credit card','credit card','debit card','paypal','bank transfer','gift card'])[1 + pg_temp.h('pm', order_id) % 7] AS m,
   'captured' AS st, total_amount, ordered_at + (3 + pg_temp.h('pa', order_id) % 25) * interval '1 minute' AS at
 FROM orders WHERE status IN ('paid','refunded')
 UNION ALL
 SELECT order_id, (ARRAY['credit card','credit card','debit card','paypal'])[1 + pg_temp.h('pf', order_id) % 4], 'failed', total_amount, ordered_at + interval '2 minutes'
 FROM orders WHERE (status = 'cancelled' AND order_id % 2 = 0) OR (status <> 'cancelled' AND pg_temp.h('fail', order_id) % 16 = 0)
) x;

INSERT INTO refunds
SELECT row_number() OVER (ORDER BY ra, payment_id), payment_id, amt, reason, ra, CASE WHEN pg_temp.h('rn', payment_id) % 10 = 0 THEN NULL ELSE ra + (1 + pg_temp.h('rp', payment_id) % 14) * interval '1 day' + (pg_temp.h('rpm', payment_id) % 400) * interval '1 minute' END
FROM (
 SELECT p.payment_id, CASE WHEN pf.status = 'cancelled' THEN p.amount ELSE round(p.amount * 0.9, 2) END amt,
   CASE WHEN pf.status = 'cancelled' THEN 'event cancelled'
        ELSE (ARRAY['customer request','illness','duplicate order','wrong date', NULL])[1 + pg_temp.h('rr', p.payment_id) % 5] END reason,
   p.paid_at + (1 + pg_temp.h('rq', p.payment_id) % 9) * interval '7 hours' ra
 FROM payments p JOIN orders o USING (order_id) JOIN performances pf USING (performance_id)
 WHERE o.status = 'refunded' AND p.status = 'captured'
) x;
COMMIT;
