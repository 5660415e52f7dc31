// Sets the theme and the density before the first paint; src/shell/preferences.ts changes them later.
;(() => {
  try {
    const { theme, density } = JSON.parse(localStorage.getItem('plat.preferences') ?? '{}')
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
    if (density === 'comfortable') document.documentElement.dataset.density = density
  } catch {
    // Without storage there is the system's theme.
  }
})()
