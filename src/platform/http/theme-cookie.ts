/** How a browser wants the page to look, as it says in a cookie of the UI's own (web/src/shell/preferences.ts). */

const COOKIE = /(?:^|;\s*)plat_look=(system|light|dark)\.(compact|comfortable)\./

/**
 * The attributes of the page's root element for what a `Cookie` header says; '' for the usual look.
 *
 * @example
 * lookOf('plat_look=dark.compact.on') // ' data-theme="dark"'
 */
export const lookOf = (cookies: string | null): string => {
  const [, theme = 'system', density = 'compact'] = COOKIE.exec(cookies ?? '') ?? []
  const themed = theme === 'system' ? '' : ` data-theme="${theme}"`
  return density === 'compact' ? themed : `${themed} data-density="${density}"`
}
