-- How a merchant looks on the shopper's pages: a picture in place of the name, and the colour of buttons, #rrggbb.
alter table merchants add column logo text;
alter table merchants add column color text;
