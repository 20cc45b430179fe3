-- Assistants are apps that are not registered: each is known by the address of its client metadata document, which is also its client
-- id. Null for the apps of the operator and of shop files.
alter table apps add column client_uri text;
create unique index apps_by_client_uri on apps (client_uri) where client_uri is not null;
