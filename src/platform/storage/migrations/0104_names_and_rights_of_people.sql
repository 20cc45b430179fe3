-- How a person is called, sealed. Null: not given.
alter table users add column name_sealed text;
-- What a member may do, scopes separated by spaces, where they were chosen one by one. The role is then `viewer`, as versions before read
-- only the role. Null: the scopes of the role.
alter table user_merchants add column scopes text;
alter table invitations add column scopes text;
