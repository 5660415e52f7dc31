/** The choices of NetBox 4.5 for devices: its values with its labels, which typed clients check. */

export const DEVICE_STATUS = {
  offline: 'Offline',
  active: 'Active',
  planned: 'Planned',
  staged: 'Staged',
  failed: 'Failed',
  inventory: 'Inventory',
  decommissioning: 'Decommissioning',
} as const

export const DEVICE_FACE = {
  front: 'Front',
  rear: 'Rear',
} as const

export const AIRFLOW = {
  'front-to-rear': 'Front to rear',
  'rear-to-front': 'Rear to front',
  'left-to-right': 'Left to right',
  'right-to-left': 'Right to left',
  'side-to-rear': 'Side to rear',
  'rear-to-side': 'Rear to side',
  'bottom-to-top': 'Bottom to top',
  'top-to-bottom': 'Top to bottom',
  passive: 'Passive',
  mixed: 'Mixed',
} as const

export const SUBDEVICE_ROLE = {
  parent: 'Parent',
  child: 'Child',
} as const

export const MACHINE_STATUS = {
  offline: 'Offline',
  active: 'Active',
  planned: 'Planned',
  staged: 'Staged',
  failed: 'Failed',
  decommissioning: 'Decommissioning',
  paused: 'Paused',
} as const

export const START_ON_BOOT = {
  on: 'On',
  off: 'Off',
  laststate: 'Last State',
} as const

export const CLUSTER_STATUS = {
  planned: 'Planned',
  staging: 'Staging',
  active: 'Active',
  decommissioning: 'Decommissioning',
  offline: 'Offline',
} as const
