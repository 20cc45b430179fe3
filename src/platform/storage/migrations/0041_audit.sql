-- Who changed what, in the transaction of the change. `changes` is JSON: the things, with their members from and to. Neither an
-- address nor a secret is in it.
create table audit_entries (
  merchant_id text not null,
  id text not null,
  -- Null where the things are shared by both modes.
  mode text,
  actor_kind text not null,
  -- Null for the operator.
  actor_id text,
  operation text not null,
  request_id text,
  changes text not null,
  -- The entry that this one took back.
  undoes text,
  at bigint not null,
  primary key (merchant_id, id)
);
-- An entry is taken back once.
create unique index audit_entries_undoing on audit_entries (merchant_id, undoes);
create index audit_entries_by_actor on audit_entries (merchant_id, actor_id, id);
create index audit_entries_by_operation on audit_entries (merchant_id, operation, id);
create index audit_entries_by_age on audit_entries (at);
-- The things that an entry is about.
create table audit_subjects (
  merchant_id text not null,
  subject_id text not null,
  entry_id text not null,
  primary key (merchant_id, subject_id, entry_id)
);
create index audit_subjects_of_entry on audit_subjects (merchant_id, entry_id);
-- Where a parcel can be followed.
alter table fulfillments add column tracking_url text;
