const grouped = new Intl.NumberFormat("en");

/** Writes a count: `1,234`. */
function count(number) {
  return grouped.format(number);
}

/** Writes a part of a whole in per cent, so that only nothing is 0% and all is 100%. */
function share(part, whole) {
  if (part === 0 || part === whole) {
    return part ? "100%" : "0%";
  }
  const percent = (100 * part) / whole;
  if (percent < 0.1) {
    return "< 0.1%";
  }
  return percent > 99.9 ? "> 99.9%" : `${percent.toFixed(1)}%`;
}

/** Writes a time with as many digits as people care for. */
function duration(seconds) {
  if (seconds < 1e-3) {
    return `${(1e6 * seconds).toFixed(0)} µs`;
  }
  if (seconds < 1) {
    return `${Number((1e3 * seconds).toPrecision(3))} ms`;
  }
  if (seconds < 60) {
    return `${Number(seconds.toFixed(2))} s`;
  }
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) {
    return `${minutes} min ${Math.floor(seconds % 60)} s`;
  }
  return `${count(Math.floor(minutes / 60))} h ${minutes % 60} min`;
}

/** Says a mate in so many moves; fewer than none are those of a side to move that is mated. */
function mateIn(moves) {
  if (moves === 0) {
    return "checkmate on the board";
  }
  return moves > 0 ? `mate in ${moves}` : `mated in ${-moves}`;
}

/** Says in words what a claim such as `#3`, `#-2` or `no #4` says. */
function claimInWords(name) {
  if (name === "none") {
    return "nothing";
  }
  return name.startsWith("no #") ? `no mate in ${name.slice(4)}` : mateIn(Number(name.slice(1)));
}

/** Says what was found, and how sure it is. */
function foundInWords(entry) {
  const excluded = entry.lowerBound - 1;
  let found = "no mate so far";
  if (typeof entry.mate === "number") {
    const shortest = entry.status === "proved";
    found = mateIn(entry.mate) + (shortest ? ", and none shorter" : "; a shorter one is not excluded");
  } else if (entry.status === "disproved") {
    found = `no mate in ${excluded}`;
  } else if (excluded > 0) {
    found += `; proved: none in ${excluded}`;
  }
  if (entry.tablebase) {
    found += ` (${entry.tablebase} tables)`;
  }
  return entry.stoppedBy ? `${found}; stopped by: ${entry.stoppedBy}` : found;
}
