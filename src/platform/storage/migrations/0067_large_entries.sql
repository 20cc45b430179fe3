-- Of a large entry that is stored whole: its size, by which a merchant's are bounded. Null for a small one, and for one that was cut.
alter table audit_entries add column large_bytes bigint;
-- Of an entry that was cut: how many things it changed.
alter table audit_entries add column cut_count bigint;
create index audit_entries_large on audit_entries (merchant_id, id, large_bytes) where large_bytes is not null;
