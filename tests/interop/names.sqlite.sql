-- Names that no model can write, and keys of several columns, as in databases that began in an office program.
create table "Order Details" ("Order ID" integer not null, "Product ID" integer not null, "Unit Price" decimal(9, 2), Quantity integer,
    "Discount %" integer, primary key ("Order ID", "Product ID"));
create table Orders ("Order ID" integer primary key, "Customer ID" text, "Order Date" date, "Ship Via" integer, note text);
create table "Customers and Suppliers by City" (City text not null, "Company Name" text not null, "Größe" text, name text,
    primary key (City, "Company Name"));
