-- When to look (again) for open checkout sessions of an installation that ended; null when there are none left.
alter table installations add column sessions_end_at bigint;
update installations set sessions_end_at = ended_at where ended_at is not null;
create index installations_to_end on installations (sessions_end_at) where sessions_end_at is not null;
