-- 1: the account was made by a link that the person who invited has seen too, and not yet by one that only the mailbox got. The first
-- reset by mail then removes second factors, which may be another person's.
alter table users add column email_unproved bigint not null default 0;
-- 1: the link is only in a letter to the person, who asked for it.
alter table invitations add column is_mailed bigint not null default 0;
