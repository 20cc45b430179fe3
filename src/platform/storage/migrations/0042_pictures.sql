-- Files of pictures. A picture is one or several of them, of different sizes.
create table pictures (
  merchant_id text not null references merchants (id),
  -- Of the content of the file, which it is stored under.
  hash text not null,
  picture_id text not null,
  kind text not null,
  width bigint not null,
  height bigint not null,
  bytes bigint not null,
  -- Base64, until it is where pictures are stored.
  content text,
  created_at bigint not null,
  primary key (merchant_id, hash)
);
create index pictures_of_picture on pictures (merchant_id, picture_id, width, hash);
create index pictures_to_store on pictures (created_at) where content is not null;
