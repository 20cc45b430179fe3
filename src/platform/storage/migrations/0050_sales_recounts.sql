-- Merchants whose time zone was changed: a loop counts their days again, from the first to the last.
create table sales_recounts (
  merchant_id text not null references merchants (id),
  mode text not null check (mode in ('test', 'live')),
  -- The last day that was counted; empty at the beginning.
  day text not null,
  primary key (merchant_id, mode)
);
