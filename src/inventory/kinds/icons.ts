/** The icons of kinds: names of Lucide. Imports nothing, because the browser loads it. */
export const KIND_ICONS = [
  ...(['box', 'boxes', 'package', 'archive', 'briefcase', 'building-2', 'calendar', 'contact'] as const),
  ...(['circuit-board', 'cloud', 'activity', 'cpu', 'truck', 'database', 'wallet', 'file-text'] as const),
  ...(['flag', 'folder', 'globe', 'hard-drive', 'hash', 'key', 'landmark', 'layers'] as const),
  ...(['link', 'lock', 'mail', 'map-pin', 'monitor', 'network', 'phone', 'plug'] as const),
  ...(['printer', 'radio', 'receipt', 'route', 'router', 'server', 'settings', 'shield'] as const),
  ...(['star', 'tag', 'users', 'wifi', 'wrench', 'zap', 'waypoints', 'map'] as const),
] as const
