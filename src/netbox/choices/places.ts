/** The choices of NetBox 4.5 for places: its values with its labels, which typed clients check. */

export const SITE_STATUS = {
  planned: 'Planned',
  staging: 'Staging',
  active: 'Active',
  decommissioning: 'Decommissioning',
  retired: 'Retired',
} as const

export const LOCATION_STATUS = {
  planned: 'Planned',
  staging: 'Staging',
  active: 'Active',
  decommissioning: 'Decommissioning',
  retired: 'Retired',
} as const

export const RACK_STATUS = {
  reserved: 'Reserved',
  available: 'Available',
  planned: 'Planned',
  active: 'Active',
  deprecated: 'Deprecated',
} as const

export const RACK_FORM_FACTOR = {
  '2-post-frame': '2-post frame',
  '4-post-frame': '4-post frame',
  '4-post-cabinet': '4-post cabinet',
  'wall-frame': 'Wall-mounted frame',
  'wall-frame-vertical': 'Wall-mounted frame (vertical)',
  'wall-cabinet': 'Wall-mounted cabinet',
  'wall-cabinet-vertical': 'Wall-mounted cabinet (vertical)',
} as const

export const RACK_WIDTH = {
  '10': '10 inches',
  '19': '19 inches',
  '21': '21 inches',
  '23': '23 inches',
} as const

export const RACK_AIRFLOW = {
  'front-to-rear': 'Front to rear',
  'rear-to-front': 'Rear to front',
} as const

export const DIMENSION_UNIT = {
  mm: 'Millimeters',
  in: 'Inches',
} as const

export const WEIGHT_UNIT = {
  kg: 'Kilograms',
  g: 'Grams',
  lb: 'Pounds',
  oz: 'Ounces',
} as const
