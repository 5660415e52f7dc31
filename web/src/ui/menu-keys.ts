/** The keys of a menu: arrows, Home and End, Enter, and the first letters of an item (WAI-ARIA APG, menu pattern). */

/** Letters that follow each other within this time are one text. */
const TYPING_MS = 500

/** Returns the items in order, disabled ones as well, because they show the reason. */
export const listItems = (menu: Element): HTMLElement[] => [...menu.querySelectorAll<HTMLElement>('[role^=menuitem]')]

const findByKey = (items: readonly HTMLElement[], current: number, key: string): HTMLElement | undefined => {
  if (key === 'ArrowDown') return items[(current + 1) % items.length]
  if (key === 'ArrowUp') return items.at(current <= 0 ? -1 : current - 1)
  if (key === 'Home') return items[0]
  return key === 'End' ? items.at(-1) : undefined
}

/** Returns the function that handles a key of an open menu. It returns false for a key that means nothing there. */
export const chooseByKey = () => {
  let typed = ''
  let typedMs = 0
  const findByText = (items: readonly HTMLElement[], current: number, { key, timeStamp }: KeyboardEvent) => {
    typed = timeStamp - typedMs < TYPING_MS ? typed + key.toLowerCase() : key.toLowerCase()
    typedMs = timeStamp
    // One letter goes on to the next item, more of them narrow down.
    const from = typed.length === 1 ? current + 1 : Math.max(0, current)
    const inOrder = [...items.slice(from), ...items.slice(0, from)]
    return inOrder.find(({ textContent }) => textContent.trim().toLowerCase().startsWith(typed))
  }
  return (event: KeyboardEvent, menu: Element): boolean => {
    const { key } = event
    if (event.ctrlKey || event.metaKey || event.altKey) return false
    const items = listItems(menu)
    const current = items.indexOf(document.activeElement as HTMLElement)
    const isTyping = key === ' ' && typed !== '' && event.timeStamp - typedMs < TYPING_MS
    if (key === 'Enter' || (key === ' ' && !isTyping)) items[current]?.click()
    else if (key.length === 1) findByText(items, current, event)?.focus()
    else {
      const next = findByKey(items, current, key)
      if (!next) return false
      next.focus()
    }
    return true
  }
}
