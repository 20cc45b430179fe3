-- What a passkey is asked to sign: once, within minutes, in the browser or session that asked. Only its hash is stored.
create table passkey_challenges (
  challenge_hash text not null primary key,
  bound_to text not null,
  expires_at bigint not null
);
create index passkey_challenges_by_end on passkey_challenges (expires_at);
