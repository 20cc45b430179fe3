-- Smaller copies of pictures, in formats that browsers load faster. Their files are where pictures are stored.
create table picture_copies (
  merchant_id text not null references merchants (id),
  -- Of the picture that it is a copy of.
  hash text not null,
  kind text not null,
  width bigint not null,
  bytes bigint not null,
  primary key (merchant_id, hash, kind, width)
);
-- When its copies were made or given up. Null: they are to be made.
alter table pictures add column copied_at bigint;
-- Why there are no copies.
alter table pictures add column copy_problem text;
-- How often making them took too long, too much memory or ended the process that made them.
alter table pictures add column copy_failures bigint not null default 0;
-- Until when a node makes them.
alter table pictures add column copying_until bigint;
-- Which it mostly has, as #rrggbb.
alter table pictures add column color text;
create index pictures_to_copy on pictures (created_at) where copied_at is null;
