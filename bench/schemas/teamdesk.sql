-- A subscription software's own records: workspaces, members, subscriptions that start and end, invoices, tickets with several times, and log-in events.
-- Keys are declared; money is in cents on invoices.
-- The data is made by arithmetic alone: the same on every server. Load with: psql DSN -f bench/schemas/teamdesk.sql
BEGIN;
DROP SCHEMA IF EXISTS teamdesk CASCADE;
CREATE SCHEMA teamdesk;
SET LOCAL search_path = teamdesk;

CREATE OR REPLACE FUNCTION pg_temp.pick(i bigint, salt text, n int) RETURNS int LANGUAGE sql IMMUTABLE AS
  $$ SELECT (('x' || substr(md5(salt || i), 1, 7))::bit(28)::int % n)::int $$;

CREATE TABLE plans (id int PRIMARY KEY, name text NOT NULL, monthly_price numeric NOT NULL, seat_limit int);
CREATE TABLE workspaces (id int PRIMARY KEY, name text NOT NULL, country text NOT NULL, industry text NOT NULL, created_at timestamptz NOT NULL, churned_at timestamptz, referred_by int REFERENCES workspaces);
CREATE TABLE members (id int PRIMARY KEY, workspace_id int NOT NULL REFERENCES workspaces, email text NOT NULL, role text NOT NULL, invited_at timestamptz NOT NULL, joined_at timestamptz, last_seen_at timestamptz, deactivated_at timestamptz);
CREATE TABLE subscriptions (id int PRIMARY KEY, workspace_id int NOT NULL REFERENCES workspaces, plan_id int NOT NULL REFERENCES plans, seats int NOT NULL, started_on date NOT NULL, ended_on date, trial boolean NOT NULL);
CREATE TABLE invoices (id int PRIMARY KEY, subscription_id int NOT NULL REFERENCES subscriptions, issued_on date NOT NULL, due_on date NOT NULL, paid_on date, amount_cents int NOT NULL, status text NOT NULL);
CREATE TABLE agents (id int PRIMARY KEY, name text NOT NULL, team text NOT NULL);
CREATE TABLE tickets (id int PRIMARY KEY, workspace_id int NOT NULL REFERENCES workspaces, opened_by int REFERENCES members, agent_id int REFERENCES agents, subject text NOT NULL, priority text NOT NULL, channel text NOT NULL, opened_at timestamptz NOT NULL, first_reply_at timestamptz, solved_at timestamptz, satisfaction int);
CREATE TABLE login_events (id int PRIMARY KEY, member_id int NOT NULL REFERENCES members, occurred_at timestamptz NOT NULL, device text NOT NULL, success boolean NOT NULL, duration_seconds int);

SET LOCAL timezone = 'UTC';
INSERT INTO plans VALUES (1,'Free',0,3),(2,'Team',29,20),(3,'Business',79,100),(4,'Enterprise',249,NULL);
INSERT INTO workspaces SELECT i, (ARRAY['Acorn','Birch','Cedar','Dune','Ember','Fable','Glade','Haven','Iris','Jade'])[1 + i % 10] || ' ' || (ARRAY['Labs','Studio','Group','Media','Works','Health','Bank'])[1 + i % 7], (ARRAY['Germany','France','Poland','Sweden','Spain'])[1 + pg_temp.pick(i,'co',5)], (ARRAY['Education','Finance','Media','Health','Retail'])[1 + pg_temp.pick(i,'in',5)], c, CASE WHEN pg_temp.pick(i,'ch',4) = 0 THEN c + make_interval(days => 60 + pg_temp.pick(i,'cd',500)) END, CASE WHEN i > 10 AND pg_temp.pick(i,'rf',3) = 0 THEN 1 + pg_temp.pick(i,'rb',9) END
  FROM generate_series(1, 70) AS i, LATERAL (SELECT timestamptz '2021-03-01 09:00' + make_interval(hours => pg_temp.pick(i,'cr',28000)) AS c) AS x;
INSERT INTO members SELECT i, w, 'user' || i || '@' || (ARRAY['acme.io','mail.com','corp.eu'])[1 + pg_temp.pick(i,'ed',3)], (ARRAY['member','member','member','admin','owner'])[1 + pg_temp.pick(i,'rl',5)], t, j, CASE WHEN j IS NOT NULL THEN j + make_interval(days => pg_temp.pick(i,'ls',500)) END, CASE WHEN j IS NOT NULL AND pg_temp.pick(i,'de',7) = 0 THEN j + make_interval(days => 520) END
  FROM generate_series(1, 420) AS i, LATERAL (SELECT 1 + pg_temp.pick(i,'ws',66) AS w) AS a, LATERAL (SELECT created_at + make_interval(hours => 4 + pg_temp.pick(i,'iv',4000)) AS t FROM workspaces WHERE id = w) AS b, LATERAL (SELECT CASE WHEN pg_temp.pick(i,'jn',6) > 0 THEN t + make_interval(hours => 1 + pg_temp.pick(i,'jt',200)) END AS j) AS c;
INSERT INTO subscriptions SELECT row_number() OVER (ORDER BY w.id, k)::int, w.id, CASE WHEN k = 1 THEN 1 + pg_temp.pick(w.id,'pl',3) ELSE 2 + pg_temp.pick(w.id,'p2',3) END, 2 + pg_temp.pick(w.id * 3 + k,'se',60), w.created_at::date + (k - 1) * 200, CASE WHEN k < n THEN w.created_at::date + k * 200 ELSE w.churned_at::date END, k = 1 AND pg_temp.pick(w.id,'tr',3) = 0
  FROM workspaces AS w, LATERAL (SELECT 1 + pg_temp.pick(w.id,'ns',3) / 2 AS n) AS x, LATERAL generate_series(1, n) AS k WHERE w.churned_at IS NULL OR w.churned_at > w.created_at + make_interval(days => (k - 1) * 200 + 1);
INSERT INTO invoices SELECT row_number() OVER (ORDER BY x.id, m)::int, x.id, m, m + 14, d, (price * 100 * seats)::int, CASE WHEN d IS NULL THEN (ARRAY['open','void'])[1 + pg_temp.pick(x.id,'vo',2)] ELSE 'paid' END
  FROM (SELECT s.id, s.seats, l.monthly_price AS price, g::date AS m FROM subscriptions AS s JOIN plans AS l ON l.id = s.plan_id, LATERAL generate_series(s.started_on::timestamp, least(coalesce(s.ended_on, date '2024-12-15'), date '2024-12-15')::timestamp, interval '1 month') AS g WHERE l.monthly_price > 0 AND NOT s.trial) AS x, LATERAL (SELECT CASE WHEN pg_temp.pick(x.id * 5000 + (m - date '2020-01-01'),'pd',8) > 0 THEN m + pg_temp.pick(x.id * 5000 + (m - date '2020-01-01'),'pt',40) END AS d) AS y;
INSERT INTO agents VALUES (1,'Nora Lind','Billing'),(2,'Omar Haddad','Technical'),(3,'Petra Novak','Technical'),(4,'Quentin Roy','Onboarding'),(5,'Rosa Diaz','Billing'),(6,'Sven Olsen','Technical'),(7,'Tara Singh','Onboarding');
INSERT INTO tickets SELECT i, w, m, CASE WHEN pg_temp.pick(i,'ag',15) > 0 THEN 1 + pg_temp.pick(i,'an',6) END, (ARRAY['Cannot log in','Invoice wrong','Export fails','Feature request','Slow dashboard','Refund please'])[1 + pg_temp.pick(i,'su',6)], (ARRAY['low','normal','normal','high','urgent'])[1 + pg_temp.pick(i,'pr',5)], (ARRAY['email','chat','phone'])[1 + pg_temp.pick(i,'cn',3)], t, f, CASE WHEN f IS NOT NULL AND pg_temp.pick(i,'so',6) > 0 THEN f + make_interval(mins => 20 + pg_temp.pick(i,'sm',12000)) END, CASE WHEN f IS NOT NULL AND pg_temp.pick(i,'so',6) > 0 AND pg_temp.pick(i,'sa',3) > 0 THEN 1 + pg_temp.pick(i,'sc',5) END
  FROM generate_series(1, 900) AS i, LATERAL (SELECT 1 + pg_temp.pick(i,'me',400) AS m) AS a, LATERAL (SELECT workspace_id AS w FROM members WHERE id = m) AS b, LATERAL (SELECT timestamptz '2022-01-03 07:00' + make_interval(mins => pg_temp.pick(i,'op',1550000)) AS t) AS c, LATERAL (SELECT CASE WHEN pg_temp.pick(i,'fr',12) > 0 THEN t + make_interval(mins => 3 + pg_temp.pick(i,'fm',1500)) END AS f) AS d;
INSERT INTO login_events SELECT i, 1 + pg_temp.pick(i,'mb',410), timestamptz '2023-06-01' + make_interval(mins => pg_temp.pick(i,'oc',820000)), (ARRAY['desktop','desktop','mobile','tablet'])[1 + pg_temp.pick(i,'dv',4)], s, CASE WHEN s THEN 30 + pg_temp.pick(i,'du',7000) END FROM generate_series(1, 2000) AS i, LATERAL (SELECT pg_temp.pick(i,'ok',9) > 0 AS s) AS x;
ANALYZE plans; ANALYZE workspaces; ANALYZE members; ANALYZE subscriptions; ANALYZE invoices; ANALYZE agents; ANALYZE tickets; ANALYZE login_events;
COMMIT;
