-- How often the reading of a file was broken off without a word, as by the end of the process. After some times it is not read again.
alter table transfers add column interruptions bigint not null default 0;
