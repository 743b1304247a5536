//! The files of each way to deploy, as `packages` in the sources has them.

use crate::args::DeployWay;

/// The files of a way with their texts, by their paths in the folder that is made.
pub(super) fn deployment_files(way: DeployWay) -> &'static [(&'static str, &'static str)] {
    match way {
        DeployWay::Compose => COMPOSE,
        DeployWay::Kubernetes => KUBERNETES,
        DeployWay::Systemd => SYSTEMD,
    }
}

macro_rules! texts {
    ($folder:literal: $($name:literal)*) => {
        &[$(($name, include_str!(concat!("../deploy/", $folder, "/", $name)))),*]
    };
}

const COMPOSE: &[(&str, &str)] = texts!("compose": "compose.yaml");
const KUBERNETES: &[(&str, &str)] = texts!("kubernetes":
    "sidecar.yaml"
    "callgate/Chart.yaml"
    "callgate/values.yaml"
    "callgate/values.schema.json"
    "callgate/templates/NOTES.txt"
    "callgate/templates/_parts.tpl"
    "callgate/templates/config.yaml"
    "callgate/templates/deployment.yaml"
    "callgate/templates/disruption.yaml"
    "callgate/templates/monitor.yaml"
    "callgate/templates/network.yaml"
    "callgate/templates/service.yaml"
    "callgate/templates/volume.yaml"
);
const SYSTEMD: &[(&str, &str)] = texts!("systemd": "callgate.service" "callgate.socket");
