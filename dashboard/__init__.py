"""What people look at: charts and pages from the warehouse's views. Needs the extra `report`."""
