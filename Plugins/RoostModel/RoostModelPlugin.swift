// SPDX-License-Identifier: Apache-2.0

import Foundation
import PackagePlugin

/// `swift package roost-model check|lock|diff`: builds a program of the package, and has the command `roost` compare
/// its model with the lock file.
@main
struct RoostModelPlugin: CommandPlugin {
  static let usage = """
    USAGE: swift package roost-model check|lock|diff [--product NAME] [--lock FILE] [--release LABEL] [--except LABEL]
           [--allow-type-changes] [--fixtures FOLDER] [--type TYPE]

    check  fails when the model is not the one in the lock file, or stores of a release could not follow to it
    lock   writes the model into the lock file; --release freezes it as that of a release
    diff   prints what is different from the newest version in the lock file

    With --fixtures lock makes a small store of each release in the folder, and check migrates copies of them.

    NAME is a program of the package, the only one unless given; FILE is Models/NAME.roostlock unless given; TYPE
    is sqlite, lmdb or binary, all of them unless given.
    """

  func performCommand(context: PluginContext, arguments: [String]) async throws {
    var words = ArgumentExtractor(arguments)
    let products = words.extractOption(named: "product")
    let locks = words.extractOption(named: "lock")
    let releases = words.extractOption(named: "release")
    let exceptions = words.extractOption(named: "except")
    let folders = words.extractOption(named: "fixtures")
    let types = words.extractOption(named: "type")
    let allowsTypeChanges = words.extractFlag(named: "allow-type-changes") > 0
    guard words.remainingArguments.count == 1, let verb = words.remainingArguments.first,
      ["check", "lock", "diff"].contains(verb), products.count < 2, locks.count < 2,
      releases.count < 2, releases.isEmpty || verb == "lock", exceptions.isEmpty || verb == "check",
      !allowsTypeChanges || verb != "lock", folders.count < 2, folders.isEmpty || verb != "diff",
      types.isEmpty || !folders.isEmpty
    else { throw Failure(Self.usage) }

    let product = try self.product(products.first, of: context.package)
    let program = try build(product)
    let root = context.package.directoryURL
    let lock = URL(filePath: locks.first ?? "Models/\(product).roostlock", relativeTo: root).path
    let fixtures =
      folders.flatMap { ["--fixtures", URL(filePath: $0, relativeTo: root).path] }
      + types.flatMap { ["--type", $0] }
    let typeChanges = allowsTypeChanges ? ["--allow-type-changes"] : []
    switch verb {
    case "lock":
      let release = releases.flatMap { ["--release", $0] }
      try roost(["lock", "--program", program, "--file", lock] + release + fixtures)
    case "check":
      let except = exceptions.flatMap { ["--except", $0] }
      try roost(
        ["check", "--program", program, "--against", lock] + except + typeChanges + fixtures)
    default:
      let present = context.pluginWorkDirectoryURL.appending(path: "present.roostlock")
      try? FileManager.default.removeItem(at: present)
      try roost(["lock", "--program", program, "--file", present.path], isQuiet: true)
      try roost(["diff", lock, present.path] + typeChanges)
    }
  }

  /// The program whose model is meant: the one that is named, or the only one.
  private func product(_ name: String?, of package: Package) throws -> String {
    let programs = package.products(ofType: ExecutableProduct.self).map(\.name)
    if let name {
      guard programs.contains(name) else {
        throw Failure(
          "The package has no program \(name), only: \(programs.joined(separator: ", ")).")
      }
      return name
    }
    guard programs.count == 1 else {
      throw Failure(
        "The package has \(programs.count) programs; name one with --product: "
          + programs.joined(separator: ", "))
    }
    return programs[0]
  }

  /// Builds a program, and returns its path.
  private func build(_ product: String) throws -> String {
    let result = try packageManager.build(
      .product(product), parameters: .init(configuration: .inherit, logging: .concise))
    let programs = result.builtArtifacts.filter { $0.kind == .executable }
    let program = programs.first { $0.url.lastPathComponent == product } ?? programs.first
    guard result.succeeded, let program else {
      throw Failure("The product \(product) cannot be built.\n\(result.logText)")
    }
    return program.url.path
  }

  /// Runs the command. It is built as a product, since a tool that a plugin depends on is compiled for the host again,
  /// with all modules below it.
  private func roost(_ words: [String], isQuiet: Bool = false) throws {
    let process = Process()
    process.executableURL = URL(filePath: try build("roost"))
    process.arguments = words
    if isQuiet { process.standardOutput = FileHandle.nullDevice }
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure("roost \(words[0]) ended with \(process.terminationStatus).")
    }
  }
}

/// Why the command cannot be carried out.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
