// The cast holds: every page with this script has this button.
;(document.getElementById('print') as HTMLElement).onclick = () => print()
