// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// One line of the board.
struct BoardLine: Sendable, Equatable {
  var minute: Int32
  var text: String

  init(_ departure: Departure) {
    minute = departure.minute
    let time = String(format: "%02d:%02d", minute / 60, minute % 60)
    let destination = departure.destination.padding(toLength: 22, withPad: " ", startingAt: 0)
    let rest = departure.isCancelled ? "cancelled" : "platform \(departure.platform)"
    text = "\(time)  \(departure.line)  \(destination) \(rest)"
  }
}

/// Shows the next departures, and updates them when other programs write to the file.
struct Board {
  let container: PersistentContainer
  /// The number of lines.
  static let height: Int = 8

  static var request: FetchRequest<Departure> {
    Departure.fetchRequest().sorted(by: \.minute).sorted(by: \.line).limit(height)
  }

  /// Shows the board until the task is cancelled, or `isOver` returns true.
  ///
  /// - Parameter isOver: Called with each state that was shown.
  func show(until isOver: @Sendable ([BoardLine]) -> Bool = { _ in false }) async throws {
    for try await departures in container.live(Self.request, { BoardLine($0) }) {
      draw(departures)
      if isOver(departures.elements) { return }
    }
  }

  private func draw(_ departures: LiveSnapshot<BoardLine>) {
    // On a terminal the board overwrites the previous one.
    if isatty(1) == 1 { print("\u{1B}[H\u{1B}[2J", terminator: "") }
    print("Departures")
    let changed = departures.update.refreshed
    for (line, id) in zip(departures.elements, departures.ids) {
      print(changed.contains(id) ? "* \(line.text)" : "  \(line.text)")
    }
    print("")
    fflush(nil)
  }
}
