/** Reads the theme and the density from the cookie that the web UI sets (web/src/shell/preferences.ts). */

const COOKIE = /(?:^|;\s*)plat_look=(system|light|dark)\.(compact|comfortable)\./

/** Attributes of the page's root. @example formatThemeAttributes('plat_look=dark.compact.on') // ' data-theme="dark"' */
export const formatThemeAttributes = (cookies: string | null): string => {
  const [, theme = 'system', density = 'compact'] = COOKIE.exec(cookies ?? '') ?? []
  const themed = theme === 'system' ? '' : ` data-theme="${theme}"`
  return density === 'compact' ? themed : `${themed} data-density="${density}"`
}
