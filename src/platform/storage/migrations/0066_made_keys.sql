-- The key that made this one, or was shown its secret when it was rotated: it ends with that key. Null: a person, the operator or an app
-- by its token made it.
alter table credentials add column made_by text;
create index credentials_made_by on credentials (made_by) where made_by is not null;
