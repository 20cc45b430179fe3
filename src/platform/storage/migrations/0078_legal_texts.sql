-- Legal texts of a merchant: a row for each version in each language, never changed and never deleted. The one that was in force when an order
-- was placed is the newest from before; an empty text ends one.
create table legal_texts (
  merchant_id text not null,
  kind text not null,
  language text not null,
  version bigint not null,
  text text not null,
  created_at bigint not null,
  constraint legal_texts_pkey primary key (merchant_id, kind, language, version)
);
