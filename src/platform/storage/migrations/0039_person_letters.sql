-- Of a letter to a person, until it is sent: the address and the link, sealed.
alter table emails add column sealed text;
