-- The merchant whose shop file declared the app: only that file may change it. Null for apps that the operator made by
-- hand, and for those from before this column.
alter table apps add column declared_by text;
