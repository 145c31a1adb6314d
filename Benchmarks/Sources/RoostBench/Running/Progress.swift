// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Writes the current measurement and the remaining time to the standard error: one line that is updated on a
/// terminal, one line per round elsewhere.
final class Progress {
  private let isQuiet: Bool
  private let isTerminal = isatty(2) == 1
  private var shown = ""
  private var lastRound = 0

  init(isQuiet: Bool) {
    self.isQuiet = isQuiet
  }

  func show(_ step: Step, rounds: Int, part: Double, secondsLeft: Double?) {
    guard !isQuiet else { return }
    let left = secondsLeft.map { ", about \(Figures.remaining($0)) left" } ?? ""
    if isTerminal {
      rewrite("round \(step.round) of \(rounds), \(Figures.percent(part))\(left): \(step.title)")
    } else if step.round != lastRound {
      lastRound = step.round
      write("round \(step.round) of \(rounds), \(Figures.percent(part))\(left)\n")
    }
  }

  func note(_ text: String) {
    guard !isQuiet else { return }
    clear()
    write(text + "\n")
  }

  func clear() {
    guard isTerminal, !shown.isEmpty else { return }
    rewrite("")
    write("\r")
  }

  private func rewrite(_ line: String) {
    let pad = String(repeating: " ", count: max(0, shown.count - line.count))
    write("\r" + line + pad)
    shown = line
  }

  private func write(_ text: String) {
    FileHandle.standardError.write(Data(text.utf8))
  }
}
