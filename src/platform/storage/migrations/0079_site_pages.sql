-- Pages of a merchant's shop, such as About or Terms, below its own path. At most a hundred for each merchant, shared by both modes.
create table site_pages (
  merchant_id text not null,
  slug text not null,
  title text not null,
  -- Safe HTML.
  body text not null,
  -- For search engines.
  description text not null,
  -- Which menu links to it: head, foot or none; and where in it.
  menu text not null,
  position bigint not null,
  is_published bigint not null,
  version bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (merchant_id, slug)
);
