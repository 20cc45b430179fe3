-- What a merchant decides about its online store, shared by both modes: the home and the menus that are published, and the draft of
-- everything. The look that is published is the merchant's, because checkout and e-mails wear it too.
create table site_contents (
  merchant_id text not null,
  -- JSON. Null: the default.
  home text,
  menus text,
  -- JSON of look, home and menus. Null: nothing differs from what is published.
  draft text,
  version bigint not null,
  updated_at bigint not null,
  primary key (merchant_id)
);
-- JSON: typefaces, corners, density and scheme. Null: the default.
alter table merchants add column look text;
