-- Which root secret the database belongs to: for each version of it a value that is derived from it, tells it from any other
-- and says nothing about it. A server or command that has another root secret is refused before it does anything.
create table root_secrets (
  version bigint not null primary key,
  check_value text not null,
  created_at bigint not null,
  -- Since when things may be made with it; null while it is only known. From then on nobody can do without it.
  used_at bigint
);
