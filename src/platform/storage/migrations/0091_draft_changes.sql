-- What a draft cost when it was last priced, which lists show: pricing each anew takes too long. Null in one of an earlier version.
alter table drafts add column total bigint;
-- Counts its changes.
alter table drafts add column version bigint not null default 1;
-- How often its link was sent to the shopper by e-mail, and when last.
alter table drafts add column emails bigint not null default 0;
alter table drafts add column emailed_at bigint;
