-- Versions of the root secret that were given up. What they have sealed is still here, so it is remembered that nobody has to
-- give them: a sealed text alone looks as if its version were missing. A version that comes back is deleted here.
create table forgotten_root_secrets (
  version bigint not null primary key,
  forgotten_at bigint not null
);
