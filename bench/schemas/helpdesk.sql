-- A help desk: tickets with coded status, priority and channel, agents, customers, comments, SLA and tags.
-- The data is made by arithmetic alone: the same on every server. Load with: psql DSN -f bench/schemas/helpdesk.sql
BEGIN;
DROP SCHEMA IF EXISTS helpdesk CASCADE;
CREATE SCHEMA helpdesk;
SET LOCAL search_path = helpdesk;

CREATE OR REPLACE FUNCTION pg_temp.r(i bigint, s int, n int) RETURNS int LANGUAGE sql IMMUTABLE AS $$
  SELECT (((c # (c >> 13)) & 1073741823) % n)::int
    FROM (SELECT ((b # (b >> 15)) * 48271 + 11) & 2147483647 AS c
            FROM (SELECT ((((i * 73856093) # (s::bigint * 19349663)) & 2147483647) * 1103515245 + 12345) & 2147483647 AS b) AS x) AS y $$;

CREATE TABLE team (team_id int PRIMARY KEY, name text NOT NULL);
CREATE TABLE agent (agent_id int PRIMARY KEY, full_name text NOT NULL, team_id int NOT NULL REFERENCES team, email text NOT NULL, hired_on date NOT NULL, active boolean NOT NULL);
CREATE TABLE customer (customer_id int PRIMARY KEY, company_name text NOT NULL, contact_name text, country text NOT NULL, plan char(1) NOT NULL, signed_up_on date NOT NULL);
COMMENT ON COLUMN customer.plan IS 'F = free, S = standard, E = enterprise';
CREATE TABLE sla (sla_id int PRIMARY KEY, name text NOT NULL, first_response_hours int NOT NULL, resolution_hours int NOT NULL);
CREATE TABLE ticket (ticket_id int PRIMARY KEY, subject text NOT NULL, customer_id int NOT NULL REFERENCES customer, agent_id int REFERENCES agent, sla_id int REFERENCES sla, status char(1) NOT NULL, priority smallint NOT NULL, channel char(2) NOT NULL, created_at timestamp NOT NULL, first_response_at timestamp, resolved_at timestamp, sla_missed boolean NOT NULL, satisfaction smallint);
COMMENT ON TABLE ticket IS 'Support requests from customers';
COMMENT ON COLUMN ticket.status IS 'N = new, O = open, P = pending customer, S = solved, C = closed';
COMMENT ON COLUMN ticket.priority IS '1 = low, 2 = normal, 3 = high, 4 = urgent';
COMMENT ON COLUMN ticket.channel IS 'EM = e-mail, PH = phone, CH = chat, WB = web form';
COMMENT ON COLUMN ticket.sla_missed IS 'True when the agreed resolution time was not kept';
COMMENT ON COLUMN ticket.satisfaction IS 'Customer satisfaction from 1 to 5, empty when not rated';
CREATE TABLE ticket_comment (comment_id int PRIMARY KEY, ticket_id int NOT NULL REFERENCES ticket, author_type char(1) NOT NULL, agent_id int REFERENCES agent, body text NOT NULL, is_internal boolean NOT NULL, created_at timestamp NOT NULL);
COMMENT ON COLUMN ticket_comment.author_type IS 'A = agent, C = customer';
CREATE TABLE tag (tag_id int PRIMARY KEY, name text NOT NULL);
CREATE TABLE ticket_tag (ticket_id int NOT NULL REFERENCES ticket, tag_id int NOT NULL REFERENCES tag, PRIMARY KEY (ticket_id, tag_id));

INSERT INTO team VALUES (1,'First Line'),(2,'Billing'),(3,'Technical'),(4,'Onboarding');
INSERT INTO agent SELECT i, n, (ARRAY[1,1,1,1,2,2,3,3,3,3,4,1,3,2])[i], lower(split_part(n, ' ', 1)) || '@help.example', date '2015-02-01' + pg_temp.r(i,1,2700), i NOT IN (4, 10)
  FROM unnest(ARRAY['Priya Nair','Tom Becker','Sofia Rossi','Marek Novak','Aisha Khan','Liam O''Connor','Yuki Tanaka','Carlos Mendes','Eva Lindqvist','Oleg Petrov','Nadia Haddad','Grace Kim','Pieter de Vries','Chloe Martin']) WITH ORDINALITY AS u(n, i);
INSERT INTO customer SELECT i, n, CASE WHEN pg_temp.r(i,2,6) > 0 THEN (ARRAY['Olivia','Noah','Mia','Lucas','Zoe','Ethan','Lena','Omar'])[1 + i % 8] || ' ' || (ARRAY['Reed','Stone','Meyer','Costa','Lang'])[1 + i % 5] END, (ARRAY['Germany','Germany','France','United Kingdom','Spain','Netherlands','United States','United States'])[1 + pg_temp.r(i,3,8)], (ARRAY['F','F','S','S','S','E'])[1 + pg_temp.r(i,4,6)], date '2019-01-10' + pg_temp.r(i,5,1200)
  FROM unnest(ARRAY['Acme Tools','Blue Harbor Logistics','Cedar Health','Delta Foods','Evergreen Energy','Fjordline Travel','Granite Legal','Horizon Media','Ironwood Homes','Juniper Labs','Kestrel Aviation','Lumen Optics','Maple Finance','Northwind Paper','Orchid Hotels','Pioneer Robotics','Quartz Mining','Redwood Books','Summit Sports','Tidal Software','Umbra Security','Vertex Dental','Willow Gardens','Xenon Motors','Yarrow Farms','Zephyr Airlines','Amber Textiles','Birch and Co','Cobalt Chemicals','Dune Events']) WITH ORDINALITY AS u(n, i);
INSERT INTO sla VALUES (1,'Basic',24,120),(2,'Standard',8,72),(3,'Premium',2,24);
INSERT INTO ticket
  SELECT i, (ARRAY['Cannot log in','Invoice is wrong','App crashes on start','Feature request','Password reset not working','Slow performance','Data export fails','Question about pricing','Integration error','Email notifications missing'])[1 + pg_temp.r(i,11,10)], c.customer_id, CASE WHEN st <> 'N' THEN 1 + pg_temp.r(i,12,100) * pg_temp.r(i,13,13) / 90 END, CASE c.plan WHEN 'S' THEN 2 WHEN 'E' THEN 3 WHEN 'F' THEN 1 END,
    st, 1 + (pg_temp.r(i,14,14) + 2) / 4, (ARRAY['EM','EM','PH','CH','WB'])[1 + pg_temp.r(i,15,5)], t, CASE WHEN st <> 'N' THEN t + make_interval(mins => 12 + pg_temp.r(i,16,1500)) END, CASE WHEN st IN ('S','C') THEN t + make_interval(hours => 26, mins => pg_temp.r(i,17,8000)) END, false, CASE WHEN st IN ('S','C') AND pg_temp.r(i,18,5) > 1 THEN (ARRAY[1,2,3,3,4,4,4,4,5,5,5,5])[1 + pg_temp.r(i,19,12)] END
  FROM generate_series(1, 180) AS i CROSS JOIN LATERAL (SELECT timestamp '2022-01-03 08:15' + make_interval(mins => i * 5700 + pg_temp.r(i,20,5000)) AS t, CASE WHEN i > 172 THEN 'N' WHEN i > 150 THEN (ARRAY['O','P','S','C'])[1 + pg_temp.r(i,21,4)] ELSE (ARRAY['S','C','C','C','C','C','P','O','C','C','C','S'])[1 + pg_temp.r(i,22,12)] END AS st) AS x JOIN customer AS c ON c.customer_id = 1 + pg_temp.r(i,23,100) * pg_temp.r(i,24,28) / 100;
UPDATE ticket AS t SET sla_missed = true FROM sla AS s WHERE s.sla_id = t.sla_id AND t.resolved_at > t.created_at + make_interval(hours => s.resolution_hours + CASE WHEN t.priority = 4 THEN 0 ELSE 12 END);
INSERT INTO ticket_comment SELECT row_number() OVER (ORDER BY t.ticket_id, k)::int, t.ticket_id, CASE WHEN a THEN 'A' ELSE 'C' END, CASE WHEN a THEN t.agent_id END, (ARRAY['Thanks for your message, we are looking into it.','It still does not work.','Could you send a screenshot?','Fixed in the latest release.','Any news on this?','Escalated to the technical team.'])[1 + pg_temp.r(t.ticket_id * 6 + k,31,6)], a AND pg_temp.r(t.ticket_id * 6 + k,32,4) = 0, t.first_response_at + make_interval(hours => (k - 1) * 5)
  FROM ticket AS t CROSS JOIN LATERAL generate_series(1, pg_temp.r(t.ticket_id,33,4)) AS k CROSS JOIN LATERAL (SELECT k = 1 OR pg_temp.r(t.ticket_id * 6 + k,34,2) = 0 AS a) AS x WHERE t.agent_id IS NOT NULL AND t.ticket_id <= 128;
INSERT INTO tag VALUES (1,'login'),(2,'billing'),(3,'bug'),(4,'feature'),(5,'performance'),(6,'export'),(7,'integration'),(8,'refund'),(9,'mobile'),(10,'legacy');
INSERT INTO ticket_tag SELECT DISTINCT ticket_id, 1 + pg_temp.r(ticket_id * 3 + k,41,9) FROM ticket, generate_series(1, 2) AS k WHERE ticket_id % 5 < 3 AND (k = 1 OR ticket_id % 3 = 0);
ANALYZE team; ANALYZE agent; ANALYZE customer; ANALYZE sla; ANALYZE ticket; ANALYZE ticket_comment; ANALYZE tag; ANALYZE ticket_tag;
COMMIT;
