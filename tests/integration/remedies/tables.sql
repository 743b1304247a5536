create table orders (no integer primary key, owner text not null, day text not null, total integer not null, note text) strict;
create table customers (id integer primary key, name text not null) strict;
create table revisions (no integer primary key, stamp text not null, ratio real not null, body text) strict;
create table drafts (owner text not null, body text, picture blob, size integer generated always as (length(body))) strict;
create view short as select no, owner from orders;
