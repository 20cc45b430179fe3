-- Texts of events of a shopper who was forgotten that were still owed to an endpoint then. A loop drops each of them, and its
-- row here, when the last delivery has ended.
create table forgotten_texts (
  installation_id text not null,
  event_id text not null,
  occurred_at bigint not null,
  primary key (installation_id, event_id)
);
create index forgotten_texts_by_age on forgotten_texts (occurred_at, event_id);
