-- Imports of files that a merchant sends: what was sent, what it would change, and how far it is written.
create table transfers (
  merchant_id text not null references merchants (id),
  id text not null,
  mode text not null check (mode in ('test', 'live')),
  kind text not null check (kind in ('products', 'stock')),
  -- Of the file.
  name text not null,
  state text not null check (state in ('receiving', 'planning', 'ready', 'writing', 'done', 'failed', 'discarded')),
  pieces bigint not null,
  received bigint not null,
  -- Who plans it, and until when the others wait for that; null: whoever comes first.
  run text,
  run_until bigint,
  -- The plan: counts, and the first of the changes, refused rows and notes as JSON.
  created bigint not null,
  changed bigint not null,
  unchanged bigint not null,
  refused bigint not null,
  changes_count bigint not null,
  changes text not null,
  refusals text not null,
  notes text not null,
  -- Why the file could not be read.
  problem text,
  -- The last item that was written or refused, and how many were written.
  position bigint not null,
  written bigint not null,
  -- Who confirmed it.
  actor_kind text,
  actor_id text,
  request_id text,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (merchant_id, id)
);
create index transfers_to_do on transfers (updated_at) where state in ('planning', 'writing', 'discarded');
create index transfers_by_age on transfers (updated_at);
-- The text of a file until it is planned.
create table transfer_pieces (
  merchant_id text not null,
  transfer_id text not null,
  piece bigint not null,
  text text not null,
  primary key (merchant_id, transfer_id, piece)
);
-- What is to be written, in the order of the file, until it is.
create table transfer_items (
  merchant_id text not null,
  transfer_id text not null,
  position bigint not null,
  line bigint not null,
  name text not null,
  item text not null,
  primary key (merchant_id, transfer_id, position)
);
