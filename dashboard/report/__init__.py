"""The report: `contents.collect` reads what it says from a warehouse, `page.page` makes one HTML page of it.

The page needs the extra `report`; the contents do not.
"""
