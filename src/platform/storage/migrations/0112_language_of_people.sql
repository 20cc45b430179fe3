-- The language in which a person reads the dashboard. Null: the browser's.
alter table users add column language text;
