-- The hosts of a merchant's shop. A host counts once it is proved. The text of its proof is public: it stands in DNS.
create table site_hosts (
  merchant_id text not null,
  host text not null,
  proof text not null,
  -- 1: the others lead to it.
  is_main bigint not null,
  proved_at bigint,
  -- When it is looked for next; null when it is proved, or was given up.
  check_at bigint,
  checked_at bigint,
  -- Why it is not proved.
  problem text,
  created_at bigint not null,
  primary key (merchant_id, host)
);
-- Across merchants: one host belongs to one shop. Requests are led by it.
create unique index site_hosts_proved on site_hosts (host) where proved_at is not null;
create index site_hosts_due on site_hosts (check_at) where check_at is not null;
