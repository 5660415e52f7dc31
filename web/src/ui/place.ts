/** The top layer of the page: which dialog is uppermost, and where popovers are, beside the control that they belong to. */

/** The distance that a popover keeps from the edges of the window. */
const EDGE_PX = 5
const MAX_HEIGHT_PX = 420

export type Align = 'start' | 'center' | 'end'
type Options = { readonly align: Align; readonly gapPx: number }

const dialogs: HTMLDialogElement[] = []

/** Returns the element that holds what the user can reach: the uppermost dialog, or the body of the page. */
export const getTop = (): HTMLElement => dialogs.at(-1) ?? document.body

/** The browser makes what is below a dialog inert. Programs that only read roles must not find it either. */
const hideBelow = (): void => {
  const top = getTop()
  for (const child of document.body.children)
    if (top === document.body || child === top) child.removeAttribute('aria-hidden')
    else child.setAttribute('aria-hidden', 'true')
}

export const openDialog = (dialog: HTMLDialogElement): void => {
  dialogs.push(dialog)
  dialog.showModal()
  hideBelow()
}

/** Closes a dialog. The browser returns the focus to the control that had it before. */
export const closeDialog = (dialog: HTMLDialogElement): void => {
  dialogs.splice(dialogs.indexOf(dialog), 1)
  hideBelow()
  dialog.close()
}

/** Returns the parent for the popovers of a control: its landmark, or its modal dialog, outside of which everything is inert. */
export const findLayer = (control: Element): Element => control.closest('dialog, main, nav') ?? document.body

const computeLeft = (control: DOMRect, width: number, align: Align): number => {
  const left = {
    start: control.left,
    center: control.left + (control.width - width) / 2,
    end: control.right - width,
  }[align]
  return Math.max(EDGE_PX, Math.min(left, document.documentElement.clientWidth - width - EDGE_PX))
}

const move = (popover: HTMLElement, control: Element, { align, gapPx }: Options): void => {
  const beside = control.getBoundingClientRect()
  const above = beside.top - gapPx - EDGE_PX
  const below = document.documentElement.clientHeight - beside.bottom - gapPx - EDGE_PX
  popover.style.maxHeight = ''
  const wanted = Math.min(MAX_HEIGHT_PX, popover.offsetHeight)
  const isAbove = wanted > below && above > below
  const height = Math.min(wanted, Math.max(0, isAbove ? above : below))
  popover.style.maxHeight = `${height}px`
  popover.style.left = `${computeLeft(beside, popover.offsetWidth, align)}px`
  popover.style.top = `${isAbove ? beside.top - gapPx - height : beside.bottom + gapPx}px`
}

/**
 * Shows a popover below its control, or above it if there is more room, inside of the window. It follows the control
 * until the returned function is called.
 */
export const place = (popover: HTMLElement, control: Element, options: Options): (() => void) => {
  popover.showPopover()
  move(popover, control, options)
  const stop = new AbortController()
  const follow = (event?: Event) => {
    // Its own scrolling does not move it.
    if (event?.target !== popover) move(popover, control, options)
  }
  window.addEventListener('scroll', follow, { capture: true, passive: true, signal: stop.signal })
  window.addEventListener('resize', follow, { signal: stop.signal })
  // Its content may arrive later.
  const observer = new ResizeObserver(() => follow())
  for (const child of popover.children) observer.observe(child)
  observer.observe(control)
  return () => {
    stop.abort()
    observer.disconnect()
  }
}
