-- Views of lists that a person saved in a shop, as JSON of at most forty: the list, a name, and the query of its address. Null: none.
alter table user_merchants add column views text;
