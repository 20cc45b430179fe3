-- Product files of systems that are not known: the columns of the file with samples of what they hold, as JSON, while somebody has to say
-- what they are, and what was said of them.
alter table transfers add column file_columns text;
alter table transfers add column assigned text;
-- What was said of the columns of a file, by the digest of its header, so the next file of that kind is read without asking.
create table assigned_columns (
  merchant_id text not null,
  header_digest text not null,
  assigned text not null,
  used_at bigint not null,
  primary key (merchant_id, header_digest)
);
